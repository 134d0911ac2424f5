package outbox_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/outbox"
)

// What a guide's parameters are bound to, by the argument that they are for.
var guideValues = map[string]string{
	"tenant": "acme", "type": "invoice.paid", "data": `{"invoice": 42}`, "body": `\x00ff`, "content_type": "image/png",
	"idempotency_key": "invoice-42-paid", "coalesce_key": "invoice-42", "entity_version": "7", "external_id": "42",
	"occurred_at": "2026-01-02T03:04:05Z", "endpoint_ids": "{whe_01h455vb4pex5vsknk084sn02q}",
	"aggregate_type": "invoice", "aggregate_id": "42",
}

// guideStatement is a call as a guide shows it, with PostgreSQL's placeholders.
type guideStatement struct {
	section, sql string
	arguments    []string // what each placeholder is for
}

var (
	guideCall    = regexp.MustCompile(`SELECT malote\.publish(_json)?\(`)
	guideSection = regexp.MustCompile(`(?m)^## (.+)$`)
	// $1, of node-postgres and Rails; ${…}, of Prisma; %s and %(name)s, of Python's
	// drivers; ?, of GORM; :name, of SQLAlchemy, whose text() passes by a name between
	// colons, as do we: :data::jsonb would be no parameter.
	placeholder = regexp.MustCompile(`\$\d+|\$\{[^}]*\}|%s|%\(\w+\)s|\?|::\w+|:\w+(?:::\w+)?`)
	castOfCall  = regexp.MustCompile(`^(::\w+)?( AS \w+)?`)
)

// guideStatements are the calls in a guide's code, which is between fences.
func guideStatements(text string) (statements []guideStatement) {
	section := ""
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			if headings := guideSection.FindAllStringSubmatch(part, -1); headings != nil {
				section = headings[len(headings)-1][1]
			}
			continue
		}
		for _, at := range guideCall.FindAllStringIndex(part, -1) {
			statements = append(statements, readStatement(section, part[at[0]:at[1]], part[at[1]:]))
		}
	}
	return statements
}

// readStatement reads a call from its arguments on.
func readStatement(section, opening, rest string) guideStatement {
	s := guideStatement{section: section, sql: opening}
	arguments, rest := splitArguments(rest)
	positional := []string{"tenant", "type", "data"}
	if len(arguments) > 3 && !strings.Contains(arguments[3], "=>") {
		positional = []string{"tenant", "type", "body", "content_type"}
	}
	for i, argument := range arguments {
		name, _, isNamed := strings.Cut(argument, "=>")
		if name = strings.TrimSpace(name); !isNamed {
			name = positional[i]
		}
		arguments[i] = placeholder.ReplaceAllStringFunc(argument, func(found string) string {
			if strings.Contains(found, "::") {
				return found
			}
			s.arguments = append(s.arguments, name)
			return "$" + strconv.Itoa(len(s.arguments))
		})
	}
	s.sql += strings.Join(arguments, ",") + ")" + castOfCall.FindString(rest)
	return s
}

// splitArguments gives the arguments up to the closing parenthesis, and what follows it.
func splitArguments(text string) (arguments []string, rest string) {
	depth, begin := 0, 0
	for i, r := range text {
		switch {
		case r == '(' || r == '{':
			depth++
		case (r == ')' || r == '}') && depth > 0:
			depth--
		case r == ')':
			return append(arguments, text[begin:i]), text[i+1:]
		case r == ',' && depth == 0:
			arguments = append(arguments, text[begin:i])
			begin = i + 1
		}
	}
	return nil, ""
}

func guide(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + name)
	require.NoError(t, err)
	return string(text)
}

func TestGuides_EveryStatementPublishes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	statements := append(guideStatements(guide(t, "from-your-orm.md")), guideStatements(guide(t, "outbox.md"))...)
	sections := make(map[string]bool)
	for i, statement := range statements {
		sections[statement.section] = true
		t.Run(fmt.Sprintf("%s %d", statement.section, i), func(t *testing.T) { publishes(t, s, statement) })
	}
	for _, orm := range []string{"Django", "Rails", "Prisma", "TypeORM", "SQLAlchemy", "GORM", "The other functions"} {
		require.True(t, sections[orm], "the guide has no statement for "+orm)
	}
}

// publishes runs a statement as the drivers do, whose parameters have no type, or
// that of a text.
func publishes(t *testing.T, s *shop, statement guideStatement) {
	values := make([][]byte, len(statement.arguments))
	for i, name := range statement.arguments {
		require.Contains(t, guideValues, name, statement.sql)
		values[i] = []byte(guideValues[name])
	}
	for _, oid := range []uint32{0, pgtype.TextOID, pgtype.VarcharOID} {
		types := make([]uint32, len(values))
		for i := range types {
			types[i] = oid
		}
		publisher := connect(t, s.publisher)
		result := publisher.PgConn().ExecParams(t.Context(), statement.sql, values, types, nil, nil).Read()
		require.NoError(t, result.Err, "%s with parameters of type %d", statement.sql, oid)
		require.Equal(t, statement.arguments, s.publishedArguments(t, string(result.Rows[0][0]), statement.arguments))
	}
}

// publishedArguments are those of the named whose value is in the row.
func (s *shop) publishedArguments(t *testing.T, id string, names []string) (found []string) {
	rows, _ := s.conn.Query(t.Context(), `SELECT tenant, type, convert_from(CASE WHEN content_type IS NULL THEN body ELSE '' END, 'UTF8') AS data,
		body::text, content_type, idempotency_key, coalesce_key, entity_version, external_id, endpoint_ids::text,
		to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS occurred_at,
		split_part(external_id, '/', 1) AS aggregate_type, split_part(external_id, '/', 2) AS aggregate_id
		FROM malote.outbox WHERE id = $1::text::uuid`, id)
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToMap)
	require.NoError(t, err)
	for _, name := range names {
		if row[name] == guideValues[name] {
			found = append(found, name)
		}
	}
	return found
}

func TestGuides_GrantsAreThoseOfInstall(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(guide(t, "outbox.md")), " ")
	for _, statement := range outbox.Grants([]string{"shop"}, nil) {
		require.Contains(t, text, strings.ReplaceAll(statement, `"`, "")+";")
	}
}

func TestGuideStatements(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]guideStatement{
		`q("SELECT malote.publish(%s, %s, %s::jsonb, external_id => %(id)s)", x)`: {
			sql:       `SELECT malote.publish($1, $2, $3::jsonb, external_id => $4)`,
			arguments: []string{"tenant", "type", "data", "external_id"}},
		"`SELECT malote.publish(${f(1, 2)}, ${\"a\"}, ${d}::text::jsonb)::text AS id`": {
			sql: `SELECT malote.publish($1, $2, $3::text::jsonb)::text AS id`, arguments: []string{"tenant", "type", "data"}},
		`SELECT malote.publish_json('acme', :type, CAST(:data AS text))`: {
			sql: `SELECT malote.publish_json('acme', $1, CAST($2 AS text))`, arguments: []string{"type", "data"}},
		`SELECT malote.publish(?, ?, ?::bytea, ?)`: {
			sql: `SELECT malote.publish($1, $2, $3::bytea, $4)`, arguments: []string{"tenant", "type", "body", "content_type"}},
		// What SQLAlchemy would send as it is, and PostgreSQL refuse.
		`SELECT malote.publish(:tenant, :type, :data::jsonb)`: {
			sql: `SELECT malote.publish($1, $2, :data::jsonb)`, arguments: []string{"tenant", "type"}},
	} {
		want.section = "An ORM"
		require.Equal(t, []guideStatement{want}, guideStatements("# T\n\n## An ORM\n\n```x\n"+code+"\n```\nSELECT malote.publish(…) too"))
	}
}

package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who may name tables: the store; and outbox, which writes in an application's
// own transaction and has no store.
var speakSQL = []string{"internal/store", "outbox"}

var createTable = regexp.MustCompile(`(?i)\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?malote\.(\w+)`)

// tablesOf are the names of the tables that migrations make.
func tablesOf(migrations string) []string {
	var names []string
	for _, match := range createTable.FindAllStringSubmatch(migrations, -1) {
		names = append(names, match[1])
	}
	return names
}

// checkSQL finds strings that name a table in a place where SQL does. Tests may:
// they look behind the curtain.
func checkSQL(tables []string, files []*file) []finding {
	reference := regexp.MustCompile(`(?i)\b(from|into|join|only|table|update|using)\s+malote\.(` + strings.Join(tables, "|") + `)\b`)
	var findings []finding
	for _, f := range files {
		if f.test || slices.ContainsFunc(speakSQL, func(root string) bool { return isBelow(f.dir(), root) }) {
			continue
		}
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(literal.Value) // the parser took it for a string
			if match := reference.FindString(text); match != "" {
				findings = append(findings, found(f, literal.Pos(), strconv.Quote(match),
					"SQL is the store's alone: give it a method, and declare the interface that you need"))
			}
			return true
		})
	}
	return findings
}

func TestSQL(t *testing.T) {
	t.Parallel()
	migrations, err := filepath.Glob(filepath.Join(moduleRoot, "internal/store/migrations/*.sql"))
	require.NoError(t, err)
	ofOutbox, err := filepath.Glob(filepath.Join(moduleRoot, "internal/store/outbox/migrations/*.sql"))
	require.NoError(t, err)
	migrations = append(migrations, ofOutbox...)
	var tables []string
	for _, name := range migrations {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		tables = append(tables, tablesOf(string(text))...)
	}
	require.Contains(t, tables, "queue")
	require.Contains(t, tables, "outbox_refused")
	report(t, checkSQL(tables, theModule(t).files))
}

func TestCheckSQL(t *testing.T) {
	t.Parallel()
	tables := tablesOf("CREATE TABLE malote.queue (\n);\ncreate table if not exists malote.lanes (x int);")
	require.Equal(t, []string{"queue", "lanes"}, tables)
	for literal, isSQL := range map[string]bool{
		"`SELECT 1\n  FROM\n  malote.queue q`":        true,
		`" from malote.lanes"`:                        true,
		`"DELETE FROM malote.lanes USING x"`:          true,
		`"UPDATE malote.queue SET x = 1"`:             true,
		`"reads its settings from malote.yaml"`:       false,
		`"the backlog, malote.queue in the database"`: false,
		`"from malote.queues"`:                        false,
	} {
		f := func(name string) []*file { return []*file{sample(t, name, "package a\nvar x = "+literal)} }
		require.Equal(t, isSQL, len(checkSQL(tables, f("internal/api/a.go"))) == 1, literal)
		require.Empty(t, checkSQL(tables, f("internal/api/a_test.go")))
		require.Empty(t, checkSQL(tables, f("internal/store/registry/a.go")))
		require.Empty(t, checkSQL(tables, f("outbox/a.go")))
	}
}

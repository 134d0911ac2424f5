package sqllint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		`SELECT a.b::text`:                      `select a . b :: text`,
		`'it''s; --' E'\'; /*' "x""y"`:          `it''s; -- \'; /* x""y`,
		"1 -- ; 'a\n+ /* ; /* nested */ ' */ 2": `1 + 2`,
		`$1, $2::int[]`:                         `$1 , $2 :: int [ ]`,
		`$$a ; 'b$$ $tag$ $$ ; $tag$`:           `a ; 'b  $$ ; `,
		`a<=b||c<>-1`:                           `a <= b || c <> - 1`,
		`/*{shard q}*/ 1.5e3`:                   `q 1.5e3`,
		`a; b;; (c; d)`:                         `a ¶ b ¶ ( c ; d )`,
		`größe`:                                 `größe`,
	} {
		statements, err := split(sql)
		require.NoError(t, err, sql)
		var read []string
		for _, s := range statements {
			var words []string
			for _, token := range s.tokens {
				words = append(words, token.text)
			}
			read = append(read, strings.Join(words, " "))
		}
		require.Equal(t, want, strings.Join(read, " ¶ "), sql)
	}
	for _, sql := range []string{`'a`, `"a`, `E'a\'`, `/* a /* b */`, `$$ a`, `$tag$ a $$`, `$`, `$a`} {
		_, err := split(sql)
		require.Error(t, err, sql)
	}
}

func TestSplit_Lines(t *testing.T) {
	t.Parallel()
	statements, err := split("-- one\nSELECT /* two\n */ 'three\n',\n $1;\n-- six\nDELETE")
	require.NoError(t, err)
	var lines []int
	for _, token := range statements[0].tokens {
		lines = append(lines, token.line)
	}
	require.Equal(t, []int{2, 3, 4, 5}, lines)
	require.Equal(t, []string{" one  two\n  ", " six "}, []string{statements[0].comments, statements[1].comments})
}

// FuzzQuery feeds whatever: the checker may complain, but not break.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		sampleMigration,
		`WITH a (b) AS MATERIALIZED ((SELECT 1) UNION SELECT q.shard FROM malote.queue q) UPDATE malote.queue q SET due_at = now() FROM a`,
		`INSERT INTO malote.queue AS q (shard) SELECT ((1)) ON CONFLICT (shard) DO UPDATE SET x = CASE WHEN a THEN b END RETURNING q.*`,
		`SELECT 1 FROM malote.queue q WHERE (q.shard, q.id) > ($1, $2) AND coalesce(a FOR UPDATE OF q, `,
		`CREATE TABLE malote.x (a; $$ malote.queue $$`, `malote.`, `)))((`, `as (select`, `with as (select 1)`,
	} {
		f.Add(seed)
	}
	schema, err := ReadSchema(sampleMigration)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, sql string) {
		schema.Migration(Source{Name: "claim_x.sql", SQL: sql})
		_, _ = ReadSchema(sql)
	})
}

package sqllint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func goSources(t *testing.T, code string) ([]Source, []Finding) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"+code), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("package a\nconst x = `SELECT 1 FROM malote.queue`"), 0o600))
	sources, findings, err := GoSources(dir)
	require.NoError(t, err)
	return sources, findings
}

func TestGoSources_ConstantsAsTheCompilerSeesThem(t *testing.T) {
	t.Parallel()
	sources, findings := goSources(t, "import \"example.org/nonsuch\"\n"+
		"const columns = `q.id, ` + \"q.shard\"\n"+
		"const from = ` FROM malote.queue AS q `\n"+
		"var _ = nonsuch.X\n"+
		"// Over all shards.\n"+
		"const list = `SELECT ` + columns + from + `WHERE q.id > $1`\n"+
		"func f() string { return list }\n")
	require.Empty(t, findings)
	require.Len(t, sources, 1)
	require.Equal(t, "SELECT q.id, q.shard FROM malote.queue AS q WHERE q.id > $1", sources[0].SQL)
	require.Equal(t, 7, sources[0].Line)
	require.True(t, meansAllShards(sources[0].Comment))
}

func TestGoSources_EveryPlace(t *testing.T) {
	t.Parallel()
	sources, findings := goSources(t, "var list = []string{\n\t`DELETE FROM malote.queue q`,\n\t// All shards.\n\t`DELETE FROM malote.lanes l`,\n}\n"+
		"const prose = `malote.queue has none: update your settings`\n"+
		"func f() { const inner = `UPDATE malote.queue q SET x = 1`; g(`WITH x AS (SELECT 1 FROM malote.queue)`) }\n")
	require.Empty(t, findings)
	require.Len(t, sources, 4)
	require.Equal(t, []bool{false, true, false, false}, []bool{
		meansAllShards(sources[0].Comment), meansAllShards(sources[1].Comment),
		meansAllShards(sources[2].Comment), meansAllShards(sources[3].Comment),
	})
}

func TestGoSources_NothingIsPutTogetherAtRunTime(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"func f(columns string) string { return `SELECT ` + columns + ` FROM malote.queue q` }",
		"const from = ` FROM malote.queue q`\nfunc f(columns string) string { return `SELECT ` + columns + from }",
		"const join = `JOIN malote.queue q ON true`",
	} {
		sources, findings := goSources(t, code)
		require.Empty(t, sources, code)
		require.Len(t, findings, 1, code)
		require.Contains(t, findings[0].Message, "at run time")
	}
}

func TestFileSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"queries/a.sql", "queries/a.txt", "migrations/1.sql", "deep/queries/b.sql"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	sources, err := FileSources(dir, "migrations")
	require.NoError(t, err)
	require.Len(t, sources, 2)
	require.Equal(t, "deep/queries/b.sql", sources[0].SQL)
	require.Equal(t, filepath.Join(dir, "queries", "a.sql"), sources[1].Name)
}

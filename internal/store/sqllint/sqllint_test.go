package sqllint

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const store = ".."

// Code that only tests run may do as it likes. An outbox is never distributed: it
// is where the application's own tables are.
var notInStore = []string{"pgtest", "sqllint", "testdata", "outbox"}

func storeSchema(t *testing.T) (*Schema, []Source) {
	t.Helper()
	migrations, err := FileSources(filepath.Join(store, "migrations"))
	require.NoError(t, err)
	require.NotEmpty(t, migrations)
	var texts []string
	for _, m := range migrations {
		texts = append(texts, m.SQL)
	}
	schema, err := ReadSchema(texts...)
	require.NoError(t, err)
	for _, table := range []string{"queue", "lanes", "events", "deliveries", "attempts", "policies"} {
		require.True(t, schema.tables[table], table)
	}
	schema.tables[goose] = true
	for name := range shared {
		require.True(t, schema.tables[name], "%s is listed as shared, and no migration makes it", name)
	}
	return schema, migrations
}

func report(t *testing.T, findings []Finding) {
	t.Helper()
	for _, f := range findings {
		t.Error(f)
	}
}

func TestStore_Migrations(t *testing.T) {
	t.Parallel()
	schema, migrations := storeSchema(t)
	for _, m := range migrations {
		report(t, schema.Migration(m))
	}
}

func TestStore_Queries(t *testing.T) {
	t.Parallel()
	schema, _ := storeSchema(t)
	queries, err := FileSources(store, append(notInStore, "migrations")...)
	require.NoError(t, err)
	require.Greater(t, len(queries), 10)
	for _, q := range queries {
		report(t, schema.Query(q))
	}
}

func TestStore_StatementsInGo(t *testing.T) {
	t.Parallel()
	schema, _ := storeSchema(t)
	statements := 0
	require.NoError(t, filepath.WalkDir(store, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if slices.Contains(notInStore, entry.Name()) {
			return fs.SkipDir
		}
		sources, findings, err := GoSources(dir)
		report(t, findings)
		for _, s := range sources {
			statements++
			report(t, schema.Query(s))
		}
		return err
	}))
	require.Greater(t, statements, 10)
}

package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// connect opens one session for a test's own statements.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // the test is over
	return conn
}

// populate inserts what testdata/populated has for a version and those before it:
// rows as that version's program wrote them, at least one per table.
func populate(t *testing.T, conn *pgx.Conn, version int64) {
	t.Helper()
	for v := int64(1); v <= version; v++ {
		if made, err := filepath.Glob(fmt.Sprintf("migrations/%05d_*.sql", v)); err == nil && len(made) == 0 {
			continue // a number that was never used
		}
		rows, err := os.ReadFile(filepath.Join("testdata", "populated", fmt.Sprintf("%05d.sql", v)))
		require.NoError(t, err, "a migration needs the rows that the version before it may have left")
		_, err = conn.Exec(t.Context(), string(rows))
		require.NoError(t, err)
	}
}

// rowCounts counts the rows of every table of the schema, partitions as one.
func rowCounts(t *testing.T, conn *pgx.Conn) map[string]int {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'malote' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT IN ('migrations', 'outbox_migrations') ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	counts := make(map[string]int, len(tables))
	for _, table := range tables {
		var n int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*)::int FROM malote.`+pgx.Identifier{table}.Sanitize()).Scan(&n))
		counts[table] = n
	}
	return counts
}

func versions(t *testing.T, dsn string) []store.MigrationStatus {
	t.Helper()
	list, err := store.MigrationsStatus(t.Context(), dsn)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

// TestMigrate_EachFromTheOneBefore takes a database with rows in it through
// every migration, one by one, and all of them at once from each version.
func TestMigrate_EachFromTheOneBefore(t *testing.T) {
	t.Parallel()
	all := versions(t, pgtest.EmptyDSN(t))
	for i, migration := range all {
		t.Run(migration.Name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.EmptyDSN(t)
			require.NoError(t, store.MigrateTo(t.Context(), dsn, migration.Version))
			conn := connect(t, dsn)
			populate(t, conn, migration.Version)
			before := rowCounts(t, conn)
			for table, n := range before {
				require.NotZero(t, n, "testdata/populated/%05d.sql has no row for %s", migration.Version, table)
			}
			if i+1 < len(all) {
				require.NoError(t, store.MigrateTo(t.Context(), dsn, all[i+1].Version))
				requireSurvived(t, before, rowCounts(t, conn))
			}
			require.NoError(t, store.Migrate(t.Context(), dsn))
			requireSurvived(t, before, rowCounts(t, conn))
			for _, applied := range versions(t, dsn) {
				require.WithinDuration(t, time.Now(), applied.AppliedAt, time.Hour, applied.Name)
			}
			requireWorks(t, dsn)
		})
	}
}

// requireSurvived: no migration loses rows. One that means to must say so here.
func requireSurvived(t *testing.T, before, after map[string]int) {
	t.Helper()
	for table, n := range before {
		require.Equal(t, n, after[table], table)
	}
}

// requireWorks takes what was pending in the old database through the new
// program: claimed, and delivered with the bytes that it came with.
func requireWorks(t *testing.T, dsn string) {
	t.Helper()
	s := pgtest.OpenDSN(t, dsn)
	stranded, err := s.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, stranded, "its lane was parked when the old program ended")
	claimed, err := s.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed.Claims, 1)
	require.Equal(t, "{\"nul\":\"\\u0000\", \"n\":12345678901234567890}", string(claimed.Claims[0].Event.Body))
	require.NotEmpty(t, claimed.Claims[0].Endpoint.Secrets)
}

func TestMigrate_AgainIsNothing(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	conn := connect(t, dsn)
	fingerprint := func() (schema string) {
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT string_agg(concat_ws(' ', c.oid, c.relname, c.relfilenode), ',' ORDER BY c.oid)
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'malote'`).Scan(&schema))
		return schema
	}
	require.NoError(t, store.Migrate(t.Context(), dsn)) // midnight may have come since the first time
	before := fingerprint()
	require.NoError(t, store.Migrate(t.Context(), dsn))
	require.Equal(t, before, fingerprint())
}

func TestMigrate_ManyProcessesAtOnce(t *testing.T) {
	t.Parallel()
	dsn := pgtest.EmptyDSN(t)
	var group errgroup.Group
	start := make(chan struct{})
	for range 3 {
		group.Go(func() error {
			<-start
			return store.Migrate(t.Context(), dsn)
		})
	}
	close(start)
	require.NoError(t, group.Wait())
	for _, migration := range versions(t, dsn) {
		require.False(t, migration.AppliedAt.IsZero(), migration.Name)
	}
	conn := connect(t, dsn)
	var entries, distinct int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*)::int, count(DISTINCT version_id)::int FROM malote.migrations`).Scan(&entries, &distinct))
	require.Equal(t, distinct, entries, "none was applied twice")
	until, err := pgtest.OpenDSN(t, dsn).PartitionsUntil(t.Context())
	require.NoError(t, err)
	require.Equal(t, midnight(time.Now()).AddDate(0, 0, 15), until, "and there are partitions")
}

func TestMigrationsStatus_OfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	for _, migration := range versions(t, pgtest.EmptyDSN(t)) {
		require.Zero(t, migration.AppliedAt, migration.Name)
	}
}

func TestMigrate_SaysWhatFailed(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, store.Migrate(t.Context(), "://"), "reading the database URL")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, store.Migrate(ctx, pgtest.EmptyDSN(t)), context.Canceled)
}

package outbox_test

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/outbox"
	"github.com/malotehq/malote/internal/store/pgtest"
	public "github.com/malotehq/malote/outbox"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// A shop is an application with a database of its own, in which there is an
// outbox and nothing else of Malote's.
type shop struct {
	dsn  string
	conn *pgx.Conn
	box  *outbox.Outbox // as the relay sees it
}

func newShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{dsn: pgtest.EmptyDSN(t)}
	_, err := outbox.Install(t.Context(), s.dsn)
	require.NoError(t, err)
	s.conn = connect(t, s.dsn, pgx.QueryExecModeCacheStatement)
	s.box = outbox.New(s.dsn)
	t.Cleanup(s.box.Close)
	return s
}

func connect(t testing.TB, dsn string, mode pgx.QueryExecMode) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (s *shop) exec(t testing.TB, statement string) {
	t.Helper()
	_, err := s.conn.Exec(t.Context(), statement)
	require.NoError(t, err)
}

// A writer runs something in a transaction of one kind, and commits.
type writer func(t require.TestingT, do func(tx public.Tx))

// writers are all the ways in which an application may speak to its database:
// with prepared statements, without them for connection poolers, or with the
// types that a driver guesses.
func (s *shop) writers(t testing.TB) map[string]writer {
	t.Helper()
	writers := map[string]writer{}
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		conn := connect(t, s.dsn, mode)
		writers["pgx, "+mode.String()] = func(t require.TestingT, do func(public.Tx)) {
			tx, err := conn.Begin(context.Background())
			require.NoError(t, err)
			defer func() { _ = tx.Rollback(context.Background()) }()
			do(tx)
			require.NoError(t, tx.Commit(context.Background()))
		}
		db := stdlib.OpenDB(*conn.Config())
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		writers["database/sql, "+mode.String()] = func(t require.TestingT, do func(public.Tx)) {
			tx, err := db.Begin()
			require.NoError(t, err)
			defer func() { _ = tx.Rollback() }()
			do(tx)
			require.NoError(t, tx.Commit())
		}
	}
	return writers
}

// take reads what the relay would take, in the order of writing, and removes it.
func (s *shop) take(t require.TestingT) []outbox.Row {
	batch, err := s.box.Take(context.Background(), 0, 1000, 1<<30)
	require.NoError(t, err)
	if len(batch.Rows) > 0 {
		require.NoError(t, batch.Settle(context.Background(), nil))
	}
	slices.SortFunc(batch.Rows, func(a, b outbox.Row) int { return cmp.Compare(a.Position, b.Position) })
	for i, row := range batch.Rows {
		if row.OccurredAt != nil {
			batch.Rows[i].OccurredAt = new(row.OccurredAt.UTC())
		}
	}
	return batch.Rows
}

// publish publishes one event in a transaction of its own.
func (s *shop) publish(t testing.TB, conn *pgx.Conn, event public.Event) (public.ID, error) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	id, err := public.Publish(t.Context(), tx, event)
	if err == nil {
		require.NoError(t, tx.Commit(t.Context()))
	}
	return id, err
}

// role makes a role for this database alone, and a connection that takes it on.
func (s *shop) role(t testing.TB, grants bool) *pgx.Conn {
	t.Helper()
	name := "shop" + s.dsn[strings.LastIndex(s.dsn, "malote_test_")+len("malote_test"):][:9]
	s.exec(t, `CREATE ROLE `+name)
	t.Cleanup(func() {
		_, err := s.conn.Exec(context.Background(), `DROP OWNED BY `+name+`; DROP ROLE `+name)
		require.NoError(t, err)
	})
	if grants {
		for _, statement := range outbox.Grants([]string{name}, nil) {
			s.exec(t, statement)
		}
	}
	conn := connect(t, s.dsn, pgx.QueryExecModeCacheStatement)
	_, err := conn.Exec(t.Context(), `SET ROLE `+name)
	require.NoError(t, err)
	return conn
}

func begin(t testing.TB, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

package pgseen_test

import (
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/store/pgtest"
	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// A world is a receiver's database, with two pools as of two processes; the
// second speaks as connection poolers need it, without prepared statements.
type world struct {
	dsn   string
	pools [2]*sql.DB
}

const table = "receiver.webhook_seen"

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{dsn: pgtest.EmptyDSN(t)}
	w.pools = [2]*sql.DB{open(t, w.dsn), open(t, with(w.dsn, "default_query_exec_mode=simple_protocol"))}
	w.exec(t, `CREATE SCHEMA receiver`)
	require.NoError(t, pgseen.CreateTable(t.Context(), w.pools[0], table))
	return w
}

// with adds a parameter to a DSN.
func with(dsn, parameter string) string {
	if strings.Contains(dsn, "?") {
		return dsn + "&" + parameter
	}
	return dsn + "?" + parameter
}

func open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	require.NoError(t, err)
	db.SetMaxIdleConns(24) // as many as call at once
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func (w *world) exec(t require.TestingT, statement string, args ...any) {
	_, err := w.pools[0].Exec(statement, args...)
	require.NoError(t, err)
}

func (w *world) count(t require.TestingT, query string, args ...any) (n int) {
	require.NoError(t, w.pools[0].QueryRow(query, args...).Scan(&n))
	return n
}

// later lets time pass for every row.
func (w *world) later(t require.TestingT, by time.Duration) {
	w.exec(t, `UPDATE receiver.webhook_seen SET until = until - $1::bigint * interval '1 microsecond'`, by.Microseconds())
}

func (w *world) store(t testing.TB, pool int, options ...pgseen.Option) *pgseen.Store {
	t.Helper()
	options = append([]pgseen.Option{pgseen.WithTable(table)}, options...)
	store, err := pgseen.New(w.pools[pool], "malote", options...)
	require.NoError(t, err)
	return store
}

func claim(t testing.TB, seen webhook.Seen, id string) *pgseen.Claim {
	t.Helper()
	got, err := seen.Claim(t.Context(), id)
	require.NoError(t, err)
	return got.(*pgseen.Claim)
}

func refused(t testing.TB, seen webhook.Seen, id string) error {
	t.Helper()
	got, err := seen.Claim(t.Context(), id)
	require.Error(t, err)
	require.Nil(t, got)
	return err
}

// coded is an error as a driver brings it.
func codeOf(err error) string {
	var told interface{ SQLState() string }
	if errors.As(err, &told) {
		return told.SQLState()
	}
	return ""
}

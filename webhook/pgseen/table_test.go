package pgseen_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

func TestTableNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"webhook_seen", "billing.webhook_seen", "_a", "A.B", "order.select", strings.Repeat("s", 63) + "." + strings.Repeat("t", 50),
	} {
		_, err := pgseen.DDL(name)
		require.NoError(t, err, name)
		_, err = pgseen.New(nil, "malote", pgseen.WithTable(name))
		require.NoError(t, err, name)
	}
	for _, name := range []string{
		"", ".", "a.", ".a", "a.b.c", "1a", "a-b", "a b", `a"b`, `"a"`, "a;b", "é", "a\x00", "a\n", "{table}",
		strings.Repeat("s", 64) + ".t", strings.Repeat("t", 51),
	} {
		_, err := pgseen.DDL(name)
		require.ErrorIs(t, err, pgseen.ErrTableName, name)
		require.ErrorIs(t, pgseen.CreateTable(t.Context(), nil, name), pgseen.ErrTableName, name)
		_, err = pgseen.New(nil, "malote", pgseen.WithTable(name))
		require.ErrorIs(t, err, pgseen.ErrTableName, name)
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	for _, sender := range []string{"", "\xff", "a\x00", strings.Repeat("x", 257)} {
		_, err := pgseen.New(nil, sender)
		require.ErrorIs(t, err, pgseen.ErrSender)
	}
	for _, option := range []pgseen.Option{
		pgseen.WithLease(0), pgseen.WithLease(time.Second - 1), pgseen.WithLease(7 * 24 * time.Hour),
		pgseen.WithRetention(0), pgseen.WithRetention(5 * time.Minute), pgseen.WithRetention(-1),
	} {
		_, err := pgseen.New(nil, "malote", option)
		require.ErrorIs(t, err, pgseen.ErrTimes)
	}
}

// The names that are hardest on the quoting, made by many at once and twice.
func TestCreateTable_AtOnceAndAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("S", 63) + "." + strings.Repeat("t", 50)
	w.exec(t, `CREATE SCHEMA "`+strings.Repeat("S", 63)+`"; CREATE SCHEMA "order"`)
	for _, name := range []string{long, "order.select", "plain"} {
		all(8, func(i int) {
			if err := pgseen.CreateTable(t.Context(), w.pools[i%2], name); err != nil {
				t.Error(err)
			}
		})
		ddl, err := pgseen.DDL(name)
		require.NoError(t, err)
		w.exec(t, ddl)
		seen, err := pgseen.New(w.pools[0], "malote", pgseen.WithTable(name), pgseen.WithLease(time.Second))
		require.NoError(t, err)
		require.NoError(t, claim(t, seen, "evt_1").Keep(t.Context()))
		require.ErrorIs(t, refused(t, seen, "evt_1"), webhook.ErrAlreadyHandled)
	}
	require.Equal(t, 4, w.count(t, `SELECT count(*) FROM pg_indexes WHERE indexname LIKE '%\_until\_idx' AND indexdef LIKE '%(until)'`))
}

// The rights that the documentation names are enough, and every other set of
// rights is told what it lacks.
func TestStore_LeastPrivilege(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const role = "receiver_app"
	db := asRole(t, w, role)
	seen, err := pgseen.New(db, "malote", pgseen.WithTable(table))
	require.NoError(t, err)

	_, err = seen.Claim(t.Context(), "evt_1")
	require.ErrorIs(t, err, pgseen.ErrNotAllowed)
	w.exec(t, `GRANT USAGE ON SCHEMA receiver TO `+w.role(role)+`; GRANT SELECT, INSERT, UPDATE ON receiver.webhook_seen TO `+w.role(role))
	got := claim(t, seen, "evt_1")
	require.ErrorIs(t, got.Keep(t.Context()), pgseen.ErrNotAllowed)
	require.ErrorIs(t, got.Release(t.Context()), pgseen.ErrNotAllowed)
	require.Equal(t, "42501", codeOf(got.Release(t.Context())), "the cause stays within reach")
	_, err = seen.Purge(t.Context())
	require.ErrorIs(t, err, pgseen.ErrNotAllowed)

	w.exec(t, `GRANT DELETE ON receiver.webhook_seen TO `+w.role(role))
	require.NoError(t, got.Keep(t.Context()))
	w.later(t, 8*24*time.Hour)
	purged, err := seen.Purge(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, purged)
	require.NoError(t, claim(t, seen, "evt_1").Release(t.Context()))
	require.Error(t, pgseen.CreateTable(t.Context(), db, "receiver.other"))
}

func TestStore_SaysThatTheTableIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"receiver.nowhere", "nowhere.webhook_seen", "webhook_seen"} {
		seen, err := pgseen.New(w.pools[0], "malote", pgseen.WithTable(name))
		require.NoError(t, err)
		_, err = seen.Claim(t.Context(), "evt_1")
		require.ErrorIs(t, err, pgseen.ErrNoTable, name)
	}
}

// role is the name of a role for this database alone: roles are the cluster's.
func (w *world) role(name string) string {
	at := strings.LastIndex(w.dsn, "malote_test_")
	return name + w.dsn[at+len("malote_test"):][:9]
}

// asRole connects as usual, and then takes on the role.
func asRole(t testing.TB, w *world, name string) *sql.DB {
	t.Helper()
	w.exec(t, `CREATE ROLE `+w.role(name))
	t.Cleanup(func() {
		// What it may do goes with the test's database, which is dropped later.
		w.exec(t, `DROP OWNED BY `+w.role(name)+`; DROP ROLE `+w.role(name))
	})
	return open(t, with(w.dsn, "role="+w.role(name)))
}

package pgseen_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook/pgseen"
)

func (w *world) fill(t testing.TB, rows int, handled bool, expiredFor time.Duration) {
	t.Helper()
	w.exec(t, `INSERT INTO receiver.webhook_seen
		SELECT 'stripe', gen_random_uuid()::text, gen_random_uuid(), $2::boolean, now() - $3::bigint * interval '1 microsecond'
		FROM generate_series(1, $1::integer)`, rows, handled, expiredFor.Microseconds())
}

// Every webhook takes some expired rows away, of any sender, and nothing else.
func TestKeep_PurgesAFewExpiredRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(t, 20, true, time.Second)
	w.fill(t, 2, true, -time.Minute)              // still known
	w.fill(t, 2, false, 23*time.Hour)             // whose holder may only be slow
	w.fill(t, 2, false, 24*time.Hour+time.Minute) // who is not
	for i, left := range []int{26 - 8 + 1, 26 - 16 + 2, 4 + 3, 4 + 4} {
		require.NoError(t, claim(t, w.store(t, i%2), fmt.Sprint("evt_", i)).Keep(t.Context()))
		require.Equal(t, left, w.count(t, `SELECT count(*) FROM receiver.webhook_seen`))
	}
	require.Equal(t, 2, w.count(t, `SELECT count(*) FROM receiver.webhook_seen WHERE NOT handled`))
}

// What others are at is passed by, and waited for by nobody.
func TestKeep_PurgesPastLockedRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(t, 4, true, time.Hour)
	tx, err := w.pools[0].BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.Exec(`SELECT FROM receiver.webhook_seen LIMIT 2 FOR UPDATE`)
	require.NoError(t, err)
	require.NoError(t, claim(t, w.store(t, 1), "evt_1").Keep(t.Context()))
	require.NoError(t, tx.Rollback())
	require.Equal(t, 2+1, w.count(t, `SELECT count(*) FROM receiver.webhook_seen`))
}

func TestKeep_PurgesFromManySides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(t, 200, true, time.Hour)
	stores := [2]*pgseen.Store{w.store(t, 0), w.store(t, 1)}
	all(24, func(i int) {
		got, err := stores[i%2].Claim(t.Context(), fmt.Sprint("evt_", i))
		if err == nil {
			err = got.Keep(t.Context())
		}
		if err != nil {
			t.Errorf("handling: %v", err)
		}
	})
	require.Equal(t, 24, w.count(t, `SELECT count(*) FROM receiver.webhook_seen WHERE sender = 'malote'`))
	require.Equal(t, 200-24*8, w.count(t, `SELECT count(*) FROM receiver.webhook_seen WHERE sender <> 'malote'`))
}

func TestPurge_RemovesAllThatExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(t, 2500, true, time.Second)
	w.fill(t, 3, true, -time.Minute)
	w.fill(t, 3, false, time.Hour)
	for _, want := range []int64{2500, 0} {
		purged, err := w.store(t, 0).Purge(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, purged)
	}
	require.Equal(t, 6, w.count(t, `SELECT count(*) FROM receiver.webhook_seen`))
}

// No statement grows with the table: all go by an index.
func TestStatements_ReadNoWholeTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill(t, 5000, true, -time.Hour)
	w.fill(t, 500, true, time.Hour)
	w.exec(t, `ANALYZE receiver.webhook_seen`)
	for _, statement := range w.store(t, 0).Statements() {
		var args []any
		for i, arg := range []any{"malote", "evt_1", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", 1_000_000, 8, false} {
			if strings.Contains(statement, fmt.Sprint("$", i+1)) {
				args = append(args, arg)
			}
		}
		if len(args) == 1 {
			args = []any{1000}
		}
		plan := w.plan(t, statement, args...)
		require.Contains(t, plan, "webhook_seen", "there is a plan")
		require.NotContains(t, plan, "Seq Scan")
	}
}

func (w *world) plan(t testing.TB, statement string, args ...any) string {
	t.Helper()
	rows, err := w.pools[0].Query("EXPLAIN "+statement, args...)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	var plan strings.Builder
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		plan.WriteString(line + "\n")
	}
	require.NoError(t, rows.Err())
	return plan.String()
}

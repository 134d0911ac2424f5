package pgseen_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

func TestStore_KeepRemembersReleaseForgets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for pool := range w.pools {
		here, there := w.store(t, pool), w.store(t, 1-pool)
		id := fmt.Sprint("evt_", pool)

		first := claim(t, here, id)
		require.ErrorIs(t, refused(t, there, id), webhook.ErrBeingHandled)
		require.NoError(t, first.Release(t.Context()))
		second := claim(t, there, id)

		// The first claim is settled: it has no power over the second one.
		require.NoError(t, first.Release(t.Context()))
		require.ErrorIs(t, first.Keep(t.Context()), pgseen.ErrClaimLost)
		require.ErrorIs(t, refused(t, here, id), webhook.ErrBeingHandled)

		require.NoError(t, second.Keep(t.Context()))
		require.NoError(t, second.Keep(t.Context()), "it is kept, by this very claim")
		require.NoError(t, second.Release(t.Context()))
		require.ErrorIs(t, refused(t, here, id), webhook.ErrAlreadyHandled)
	}
}

// 24 callers over two pools: one gets the id, the others are told so and wait for
// nobody; afterwards all are told that it was handled.
func TestStore_OneOfManyGetsTheClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stores := [2]*pgseen.Store{w.store(t, 0), w.store(t, 1)}
	for round := range 10 {
		id := fmt.Sprint("evt_", round)
		if round%2 == 1 { // as good as new
			require.NoError(t, claim(t, stores[0], id).Keep(t.Context()))
			w.later(t, 8*24*time.Hour)
		}
		var won sync.Map
		var winners atomic.Int32
		all(24, func(i int) {
			got, err := stores[i%2].Claim(t.Context(), id)
			switch {
			case err == nil:
				winners.Add(1)
				won.Store(id, got)
			case err != webhook.ErrBeingHandled:
				t.Errorf("claiming: %v", err)
			}
		})
		require.EqualValues(t, 1, winners.Load())
		got, _ := won.Load(id)
		require.NoError(t, got.(webhook.Claim).Keep(t.Context()))
		all(24, func(i int) {
			if _, err := stores[i%2].Claim(t.Context(), id); err != webhook.ErrAlreadyHandled {
				t.Errorf("claiming what was handled: %v", err)
			}
		})
	}
}

// all runs n callers that begin at the same time.
func all(n int, call func(i int)) {
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wait.Go(func() { <-begin; call(i) })
	}
	close(begin)
	wait.Wait()
}

func TestStore_D12_SevenDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := w.store(t, 0)
	kept := claim(t, seen, "evt_1")
	require.NoError(t, kept.Keep(t.Context()))
	w.later(t, 7*24*time.Hour-time.Minute)
	require.ErrorIs(t, refused(t, seen, "evt_1"), webhook.ErrAlreadyHandled)
	require.NoError(t, kept.Keep(t.Context()), "which changes nothing")
	w.later(t, time.Minute)
	require.NoError(t, claim(t, seen, "evt_1").Release(t.Context()))
	require.Zero(t, w.count(t, `SELECT count(*) FROM receiver.webhook_seen`))
}

// A process that died leaves its claim behind, and later its id is free.
func TestStore_LetsGoOfAClaimAfterTheLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here, there := w.store(t, 0), w.store(t, 1)
	dead := claim(t, here, "evt_1")
	w.later(t, pgseen.DefaultLease-time.Minute)
	require.ErrorIs(t, refused(t, there, "evt_1"), webhook.ErrBeingHandled)
	w.later(t, time.Minute)

	var winners atomic.Int32
	var winner sync.Map
	all(24, func(i int) {
		if got, err := [2]*pgseen.Store{here, there}[i%2].Claim(t.Context(), "evt_1"); err == nil {
			winners.Add(1)
			winner.Store("", got)
		} else if err != webhook.ErrBeingHandled {
			t.Errorf("claiming: %v", err)
		}
	})
	require.EqualValues(t, 1, winners.Load())

	// Whom everybody took for dead was only slow.
	require.NoError(t, dead.Release(t.Context()))
	require.ErrorIs(t, dead.Keep(t.Context()), pgseen.ErrClaimLost)
	require.ErrorIs(t, refused(t, here, "evt_1"), webhook.ErrBeingHandled)
	heir, _ := winner.Load("")
	require.NoError(t, heir.(webhook.Claim).Keep(t.Context()))
	require.ErrorIs(t, dead.Keep(t.Context()), pgseen.ErrClaimLost)
	require.ErrorIs(t, refused(t, here, "evt_1"), webhook.ErrAlreadyHandled)
}

// Who is late, but alone, is not too late.
func TestStore_KeepsAfterTheLeaseWhatNobodyTook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	slow := claim(t, w.store(t, 0), "evt_1")
	w.later(t, time.Hour)
	require.NoError(t, claim(t, w.store(t, 0), "evt_2").Keep(t.Context())) // and purges
	require.NoError(t, slow.Keep(t.Context()))
	require.ErrorIs(t, refused(t, w.store(t, 1), "evt_1"), webhook.ErrAlreadyHandled)
	w.later(t, 7*24*time.Hour-time.Minute)
	require.ErrorIs(t, refused(t, w.store(t, 1), "evt_1"), webhook.ErrAlreadyHandled)
}

func TestStore_SendersHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, claim(t, w.store(t, 0), "evt_1").Keep(t.Context()))
	other, err := pgseen.New(w.pools[0], "stripe", pgseen.WithTable(table))
	require.NoError(t, err)
	require.NoError(t, claim(t, other, "evt_1").Keep(t.Context()))
	require.Equal(t, 2, w.count(t, `SELECT count(*) FROM receiver.webhook_seen WHERE id = 'evt_1' AND handled`))
}

// Any text is an id, and no two are the same.
func TestStore_TakesEveryID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := w.store(t, 0)
	ids := []string{
		"", " ", "evt_1", "EVT_1", "'); DROP TABLE receiver.webhook_seen; --", "é", "\xff", "\xfe", "a\x00", "a\x00b",
		strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("x", 1<<20), strings.Repeat("é", 129),
		"sha256:", "sha256:5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
	}
	for _, id := range ids {
		require.NoError(t, claim(t, seen, id).Keep(t.Context()), "%.40q", id)
	}
	for _, id := range ids {
		require.ErrorIs(t, refused(t, w.store(t, 1), id), webhook.ErrAlreadyHandled, "%.40q", id)
	}
	require.Equal(t, len(ids), w.count(t, `SELECT count(*) FROM receiver.webhook_seen`))
	require.LessOrEqual(t, w.count(t, `SELECT max(octet_length(id)) FROM receiver.webhook_seen`), 256)
}

// Somebody else's transaction may be at the row; nobody waits for it for long.
func TestStore_WaitsForNoTransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct{ before, statement string }{
		"inserting": {"", `INSERT INTO receiver.webhook_seen VALUES ('malote', 'evt_1', gen_random_uuid(), false, now() + interval '1 minute')`},
		"keeping":   {`SELECT 1`, `UPDATE receiver.webhook_seen SET handled = true WHERE id = 'evt_1'`},
		"late":      {`UPDATE receiver.webhook_seen SET until = now()`, `UPDATE receiver.webhook_seen SET handled = true, until = until WHERE id = 'evt_1'`},
	} {
		w.exec(t, `TRUNCATE receiver.webhook_seen`)
		if c.before != "" {
			claim(t, w.store(t, 0), "evt_1")
			w.exec(t, c.before)
		}
		tx, err := w.pools[0].BeginTx(t.Context(), nil)
		require.NoError(t, err)
		_, err = tx.Exec(c.statement)
		require.NoError(t, err)
		for pool := range w.pools {
			require.ErrorIs(t, refused(t, w.store(t, pool), "evt_1"), webhook.ErrBeingHandled, name)
		}
		require.NoError(t, tx.Rollback())
	}
	var patience string // as everybody else's statements have it
	require.NoError(t, w.pools[1].QueryRow(`SHOW lock_timeout`).Scan(&patience))
	require.Equal(t, "0", patience)
}

// A database may be set to an isolation in which racing statements fail.
func TestStore_AnyDefaultIsolation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, isolation := range []string{"repeatable%20read", "serializable"} {
		var stores [2]*pgseen.Store
		for i := range stores {
			var err error
			db := open(t, with(w.dsn, "default_transaction_isolation="+isolation))
			stores[i], err = pgseen.New(db, isolation, pgseen.WithTable(table))
			require.NoError(t, err)
		}
		for round := range 5 {
			var winners atomic.Int32
			all(24, func(i int) {
				switch _, err := stores[i%2].Claim(t.Context(), fmt.Sprint("evt_", round)); err {
				case nil:
					winners.Add(1)
				case webhook.ErrBeingHandled:
				default:
					t.Errorf("claiming: %v", err)
				}
			})
			require.EqualValues(t, 1, winners.Load())
		}
	}
}

func TestStore_AContextThatEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.store(t, 0).Claim(ctx, "evt_1")
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, webhook.ErrBeingHandled)
}

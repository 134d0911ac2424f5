package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
)

func TestClaimTask_OneProcessPerPeriod(t *testing.T) {
	f := newFixture(t)
	processes := f.processes(3)
	turn := func() int64 {
		var mine atomic.Int64
		var group errgroup.Group
		start := make(chan struct{})
		for i := range 9 {
			group.Go(func() error {
				<-start
				got, err := processes[i%len(processes)].ClaimTask(t.Context(), "sweep", time.Minute)
				if got {
					mine.Add(1)
				}
				return err
			})
		}
		close(start)
		require.NoError(t, group.Wait())
		return mine.Load()
	}
	require.EqualValues(t, 1, turn(), "the first time ever")
	require.EqualValues(t, 0, turn(), "within the period")
	f.exec(`UPDATE malote.maintenance_tasks SET last_run_at = last_run_at - interval '59 seconds'`)
	require.EqualValues(t, 0, turn())
	f.exec(`UPDATE malote.maintenance_tasks SET last_run_at = last_run_at - interval '1 second'`)
	require.EqualValues(t, 1, turn())
	mine, err := f.store.ClaimTask(t.Context(), "rescue", time.Minute)
	require.NoError(t, err)
	require.True(t, mine, "each task has its own time")
}

// Leases of dead workers come back, whoever looks, once (F12, G10).
func TestFairQueue_F12_TwoRescuersGiveUpAClaimOnce(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 4)
	claims := f.claim(4)
	require.Len(t, claims, 4)
	for _, c := range claims {
		require.Equal(t, c.ClaimedAt.Add(time.Minute), c.LeaseUntil, "by the database's clock")
	}
	found, _, err := f.store.ExpiredLeases(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Empty(t, f.claim(4))

	f.exec(`UPDATE malote.queue SET lease_until = now() - interval '1 second' WHERE id <> $1`, claims[3].DeliveryID)
	found, _, err = f.store.ExpiredLeases(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, found, 2, "at most as many as asked for")
	var rescued atomic.Int64
	var group errgroup.Group
	for range 3 {
		group.Go(func() error {
			n, err := f.rescueSome()
			rescued.Add(int64(n))
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.EqualValues(t, 3, rescued.Load())
	require.Equal(t, map[string]int{"pending": 3, "sending": 1}, f.states())
	require.Equal(t, 3, scalar[int](f, `SELECT count(*)::int FROM malote.attempts WHERE error_code = 'interrupted'`))
	again := f.claim(4)
	require.Len(t, again, 3)
	for _, c := range again {
		require.Equal(t, 2, c.Attempt)
		require.Contains(t, []delivery.ID{claims[0].Event.ID, claims[1].Event.ID, claims[2].Event.ID}, c.Event.ID, "the same webhook-id")
	}
}

func TestI4_TheSweepKnowsWhatIsNotStranded(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 2)
	f.publish(draft("acme", "1", coalesced("k")), draft("acme", "2"))
	f.claim(2)
	f.publish(draft("acme", "3", coalesced("k")), draft("acme", "4")) // behind a full lane
	sweep := func() int {
		f.exec(`UPDATE malote.queue SET next_attempt_at = now() - interval '10 seconds' WHERE status = 'pending'`)
		stranded, err := f.store.Sweep(t.Context())
		require.NoError(t, err)
		return stranded
	}
	require.Empty(t, f.claim(5))
	require.Zero(t, sweep(), "full")
	f.exec(`DELETE FROM malote.queue WHERE coalesce_key IS NULL`)
	f.exec(`UPDATE malote.lanes SET ready_at = 'infinity', parked_full = false`)
	require.Zero(t, sweep(), "one waits for the other to end")
	f.exec(`UPDATE malote.lanes SET ready_at = 'infinity', parked_full = true`)
	f.exec(`DELETE FROM malote.queue WHERE status = 'sending'`)
	require.Equal(t, 1, sweep(), "nothing is under way that could wake it")
	require.Zero(t, sweep(), "it is awake now")
	require.Len(t, f.claim(5), 1)
}

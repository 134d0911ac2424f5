package notices

import (
	"crypto/rand"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
)

func (w *world) observe(holds bool, forTime time.Duration) bool {
	w.Helper()
	kind := delivery.LagRecovered
	if holds {
		kind = delivery.LagHigh
	}
	signalled, err := w.Observe(w.Context(), holds, forTime, delivery.Signal{Kind: kind, Subject: "lag", Detail: "late"})
	require.NoError(w, err)
	return signalled
}

func TestObserve_SignalsWhatLastsAndItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.False(t, w.observe(false, 0), "it never held")
	require.False(t, w.observe(true, time.Minute), "it has not held for long")
	require.False(t, w.observe(false, time.Minute))
	require.Zero(t, scalar[int](w, `SELECT count(*)::int FROM malote.signals`), "nobody was told that it began")

	require.False(t, w.observe(true, time.Minute))
	w.exec(`UPDATE malote.conditions SET since = since - interval '1 minute'`)
	raised, err := w.IsRaised(t.Context(), "lag")
	require.NoError(t, err)
	require.False(t, raised)
	require.True(t, w.observe(true, time.Minute))
	require.False(t, w.observe(true, time.Minute), "once")
	raised, err = w.IsRaised(t.Context(), "lag")
	require.NoError(t, err)
	require.True(t, raised)
	require.True(t, w.observe(false, time.Minute))
	require.False(t, w.observe(false, time.Minute))

	require.NoError(t, w.Tell(t.Context(), delivery.NoticeGroup{Kinds: []delivery.SignalKind{delivery.LagHigh, delivery.LagRecovered}}, 10,
		func(untold delivery.Untold) delivery.Telling {
			require.Len(t, untold.Signals, 2)
			require.Equal(t, delivery.LagHigh, untold.Signals[0].Kind)
			require.Equal(t, delivery.OwnTenant, untold.Signals[0].Tenant)
			require.Equal(t, "lag", untold.Signals[1].Subject)
			return delivery.Telling{}
		}))
}

func TestObserve_ManyProcessesSignalOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, holds := range []bool{true, false} {
		var signalled atomic.Int32
		var all errgroup.Group
		for range 6 {
			all.Go(func() error {
				done, err := w.Observe(t.Context(), holds, 0, delivery.Signal{Kind: delivery.LagHigh, Subject: "lag"})
				if done {
					signalled.Add(1)
				}
				return err
			})
		}
		require.NoError(t, all.Wait())
		require.EqualValues(t, 1, signalled.Load())
	}
}

// waiting makes an endpoint with a delivery that has been due for so long.
func (w *world) waiting(due time.Duration) delivery.ID {
	w.Helper()
	w.tenant("acme", delivery.Contacts{})
	shard := delivery.ShardOf("acme")
	id := delivery.NewID(shard, time.Now(), rand.Reader)
	w.exec(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit, ready_at)
		VALUES ($1, $2, 'acme', 4, 60, 4, now() - interval '1 second')`, shard, id)
	w.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
		VALUES ($1, $2, $3, $2, 'acme', 'pending', 'schedule', now() - make_interval(secs => $4), now() - interval '10 days')`,
		shard, delivery.NewID(shard, time.Now(), rand.Reader), id, due.Seconds())
	return id
}

// One slow or failing customer is not a platform without capacity (F17).
func TestFairQueue_F17_OnlyWantOfCapacityIsLateness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	overdue := func() time.Duration {
		late, err := w.Overdue(t.Context())
		require.NoError(t, err)
		return late.Round(10 * time.Second)
	}
	require.Zero(t, overdue())
	w.waiting(-time.Hour) // a retry that is not due, of an event of ten days ago
	require.Zero(t, overdue())
	w.waiting(time.Minute)
	require.Equal(t, time.Minute, overdue())
	for _, change := range []string{
		`consecutive_failures = 1`, `status = 'paused'`,
		`ready_at = 'infinity', parked_full = true`, // as many under way as it takes
		`ready_at = now() + interval '1 minute'`,    // its rate, or its circuit
	} {
		id := w.waiting(time.Hour)
		require.Equal(t, time.Hour, overdue())
		w.exec(`UPDATE malote.lanes SET `+change+` WHERE endpoint_id = $1`, id)
		require.Equal(t, time.Minute, overdue(), change)
	}
}

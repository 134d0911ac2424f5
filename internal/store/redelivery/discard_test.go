package redelivery

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// pendingMany seeds n pending deliveries of an endpoint.
func (s seeder) pendingMany(tenant string, endpoint delivery.ID, n int, startedAt time.Time) {
	s.t.Helper()
	rows := make([][]any, n)
	for i := range rows {
		event := delivery.NewID(endpoint.Shard(), time.Now(), rand.Reader)
		rows[i] = []any{endpoint.Shard(), delivery.NewDeliveryID(event, rand.Reader), endpoint, event, tenant, "pending", "schedule", time.Now(), startedAt}
	}
	_, err := s.store.Pool().CopyFrom(s.t.Context(), pgx.Identifier{"malote", "queue"},
		[]string{"shard", "id", "endpoint_id", "event_id", "tenant", "status", "trigger", "next_attempt_at", "cycle_started_at"}, pgx.CopyFromRows(rows))
	require.NoError(s.t, err)
}

func TestDiscard_F14_ClosesWhatIsPendingNow(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint, other := s.endpoint("acme"), s.endpoint("acme")
	s.pendingMany("acme", endpoint, 2*discardBatch+345, time.Now().Add(-time.Hour))
	s.pendingMany("acme", endpoint, 3, time.Now().Add(time.Hour)) // published after the call
	s.pendingMany("acme", other, 5, time.Now().Add(-time.Hour))
	sending := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Sending})

	n, err := w.Discard(t.Context(), endpoint)
	require.NoError(t, err)
	require.Equal(t, 2*discardBatch+345, n)
	require.Equal(t, n, s.count(`SELECT count(*) FROM malote.deliveries WHERE endpoint_id = $1 AND state = 'discarded' AND reason = 'discarded_by_user' AND superseded_by IS NULL`, endpoint))
	require.Equal(t, 3, s.count(`SELECT count(*) FROM malote.queue WHERE endpoint_id = $1 AND status = 'pending'`, endpoint))
	require.Equal(t, 5, s.count(`SELECT count(*) FROM malote.queue WHERE endpoint_id = $1`, other))
	require.Equal(t, delivery.Sending, s.stateOf(sending))

	n, err = w.Discard(t.Context(), endpoint)
	require.NoError(t, err)
	require.Zero(t, n)
}

// The head of a strictly ordered lane waits for its retry, what was published
// meanwhile waits behind it, and the lane is parked until then. Once the head is
// discarded, nothing but a look at the lane sets the others free.
func TestDiscard_StrictOrder_TheLaneIsWokenAfterwards(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.strictOrder(endpoint)
	head := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Pending, age: time.Minute})
	next := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Pending, age: time.Second})
	s.exec(`UPDATE malote.queue SET fifo_position = 1, next_attempt_at = now() + interval '1 hour' WHERE id = $1`, head)
	s.exec(`UPDATE malote.queue SET fifo_position = 2, cycle_started_at = now() + interval '1 hour' WHERE id = $1`, next) // after the call
	wake := func() {
		_, err := s.store.WakeLanes(t.Context(), []delivery.LaneRef{{Shard: endpoint.Shard(), EndpointID: endpoint}})
		require.NoError(t, err)
	}
	claim := func() (ids []delivery.ID) {
		claimed, err := s.store.Claim(t.Context(), 10)
		require.NoError(t, err)
		for _, c := range claimed.Claims {
			ids = append(ids, c.DeliveryID)
		}
		return ids
	}
	wake()
	require.Empty(t, claim(), "the head holds the rest, and the lane is parked")
	n, err := w.Discard(t.Context(), endpoint)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, claim(), "it still is")
	wake()
	require.Equal(t, []delivery.ID{next}, claim())
}

// A claimer has the lane: what it takes is not discarded.
func TestDiscard_WaitsForTheLane(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	claimed := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Pending, age: time.Hour})
	left := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Pending, age: time.Minute})
	tx := s.begin()
	_, err := tx.Exec(t.Context(), lockLanesSQL, endpoint.Shard(), []delivery.ID{endpoint})
	require.NoError(t, err)
	discarded := make(chan int, 1)
	go func() {
		n, err := w.Discard(t.Context(), endpoint)
		if err != nil {
			t.Error(err)
		}
		discarded <- n
	}()
	s.awaitLock()
	_, err = tx.Exec(t.Context(), `UPDATE malote.queue SET status = 'sending' WHERE shard = $1 AND id = $2`, claimed.Shard(), claimed)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, 1, <-discarded)
	require.Equal(t, delivery.Sending, s.stateOf(claimed))
	require.Equal(t, delivery.Discarded, s.stateOf(left))
}

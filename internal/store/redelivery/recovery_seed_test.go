package redelivery

import (
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// usual is what a recovery is about by default.
var usual = []delivery.State{delivery.Skipped, delivery.Dead}

func lastHour(endpoint delivery.ID) Window {
	return Window{Endpoint: endpoint, Since: time.Now().Add(-time.Hour), States: usual}
}

func newJob(endpoint delivery.ID) delivery.ID {
	return delivery.NewID(endpoint.Shard(), time.Now(), rand.Reader)
}

func (s seeder) start(w *Writer, window Window) Recovery {
	s.t.Helper()
	started, err := w.StartRecovery(s.t.Context(), newJob(window.Endpoint), window)
	require.NoError(s.t, err)
	require.Equal(s.t, RecoveryRunning, started.Status)
	return started
}

// batch may be called from any goroutine.
func (s seeder) batch(w *Writer, id delivery.ID) (moved bool, lanes []delivery.LaneRef) {
	s.t.Helper()
	moved, lanes, err := w.RecoverBatch(s.t.Context(), id)
	if err != nil {
		s.t.Errorf("recovering: %v", err)
	}
	return moved, lanes
}

func (s seeder) recovery(w *Writer, id delivery.ID) Recovery {
	s.t.Helper()
	found, err := w.Recovery(s.t.Context(), id)
	require.NoError(s.t, err)
	return found
}

// recoverAll does batches, with everything sent in between, until the job ends.
func (s seeder) recoverAll(w *Writer, id delivery.ID) Recovery {
	s.t.Helper()
	for {
		moved, _ := s.batch(w, id)
		now := s.recovery(w, id)
		if now.Status != RecoveryRunning {
			return now
		}
		require.True(s.t, moved, "it waits for nothing")
		s.deliverPending(now.Endpoint)
	}
}

// deliverPending lets everything that is pending on a lane arrive.
func (s seeder) deliverPending(endpoint delivery.ID) int {
	s.t.Helper()
	var ids []delivery.ID
	err := pgx.BeginFunc(s.t.Context(), s.store.Pool(), func(tx pgx.Tx) (err error) {
		if _, err = lockLane(s.t.Context(), tx, endpoint); err != nil {
			return err
		}
		rows, _ := tx.Query(s.t.Context(), `SELECT id FROM malote.queue WHERE shard = $1 AND endpoint_id = $2 AND status = 'pending'`, endpoint.Shard(), endpoint)
		if ids, err = pgx.CollectRows(rows, pgx.RowTo[delivery.ID]); err != nil {
			return err
		}
		end := ending{state: delivery.Delivered, ids: ids, supersededBy: make([]delivery.ID, len(ids))}
		return end.close(s.t.Context(), tx, endpoint.Shard())
	})
	require.NoError(s.t, err)
	return len(ids)
}

// closedMany seeds n closed deliveries with their events, oldest first, over the
// given span up to now.
func (s seeder) closedMany(tenant string, endpoint delivery.ID, n int, state delivery.State, over time.Duration) []delivery.ID {
	s.t.Helper()
	return s.closedFrom(tenant, endpoint, n, state, time.Now().Add(-over), over)
}

// closedFrom is closedMany with a begin.
func (s seeder) closedFrom(tenant string, endpoint delivery.ID, n int, state delivery.State, begin time.Time, over time.Duration) []delivery.ID {
	s.t.Helper()
	shard := endpoint.Shard()
	ids := make([]delivery.ID, n)
	events, deliveries := make([][]any, n), make([][]any, n)
	for i := range n {
		at := begin.Add(over * time.Duration(i) / time.Duration(n))
		event := delivery.NewID(shard, at, rand.Reader)
		ids[i] = delivery.NewDeliveryID(event, rand.Reader)
		events[i] = []any{shard, event, tenant, "a", "application/json", []byte(`{}`), at, at}
		deliveries[i] = []any{shard, ids[i], endpoint, event, tenant, state, "endpoint_disabled", "schedule", at}
	}
	s.copy("events", []string{"shard", "id", "tenant", "type", "content_type", "body", "occurred_at", "accepted_at"}, events)
	s.copy("deliveries", []string{"shard", "id", "endpoint_id", "event_id", "tenant", "state", "reason", "trigger", "closed_at"}, deliveries)
	return ids
}

func (s seeder) copy(table string, columns []string, rows [][]any) {
	s.t.Helper()
	_, err := s.store.Pool().CopyFrom(s.t.Context(), pgx.Identifier{"malote", table}, columns, pgx.CopyFromRows(rows))
	require.NoError(s.t, err)
}

// forget removes a delivery's event, as retention does.
func (s seeder) forget(id delivery.ID) {
	s.t.Helper()
	s.exec(`DELETE FROM malote.events e USING malote.deliveries d WHERE d.shard = $1 AND d.id = $2 AND e.shard = d.shard AND e.id = d.event_id`,
		id.Shard(), id)
}

func (s seeder) setStatus(endpoint delivery.ID, status delivery.EndpointStatus) {
	s.t.Helper()
	s.exec(`UPDATE malote.lanes SET status = $3 WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint, status)
}

// strictOrder makes a lane strictly ordered.
func (s seeder) strictOrder(endpoint delivery.ID) {
	s.t.Helper()
	s.exec(`UPDATE malote.lanes SET fifo_since = now() WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
}

// places are the pending deliveries of a lane in its strict order.
func (s seeder) places(endpoint delivery.ID) []delivery.ID {
	s.t.Helper()
	rows, _ := s.store.Pool().Query(s.t.Context(), `SELECT id FROM malote.queue WHERE shard = $1 AND endpoint_id = $2
		AND status = 'pending' AND fifo_position IS NOT NULL ORDER BY fifo_position`, endpoint.Shard(), endpoint)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	require.NoError(s.t, err)
	return ids
}

// entityCase is a delivery of an entity, an hour old, that is to be sent again
// among others of the same entity.
type entityCase struct {
	name       string
	rivalAge   time.Duration
	rivalState delivery.State
	goes       bool
	rivalEnds  delivery.State
}

// entityCases hold for whatever reopens many deliveries that nobody looked at
// one by one: what the endpoint knows of an entity never becomes older (F13).
var entityCases = []entityCase{
	{"a newer one is pending", time.Minute, delivery.Pending, false, delivery.Pending},
	{"a newer one is being sent", time.Minute, delivery.Sending, false, delivery.Sending},
	{"a newer one was delivered", time.Minute, delivery.Delivered, false, delivery.Delivered},
	{"a newer one was discarded", time.Minute, delivery.Discarded, true, delivery.Discarded},
	{"an older one is pending", 3 * time.Hour, delivery.Pending, true, delivery.Superseded},
	{"an older one is being sent", 3 * time.Hour, delivery.Sending, true, delivery.Sending},
	{"an older one was delivered", 3 * time.Hour, delivery.Delivered, true, delivery.Delivered},
}

func (c entityCase) check(s seeder, reopen func(endpoint delivery.ID)) {
	s.t.Helper()
	endpoint, other := s.endpoint("acme"), s.endpoint("acme")
	id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "K", age: time.Hour})
	rival := s.delivery(row{tenant: "acme", endpoint: endpoint, state: c.rivalState, key: "K", age: c.rivalAge})
	for _, elsewhere := range []row{{endpoint: endpoint, key: "L"}, {endpoint: other, key: "K"}} {
		elsewhere.tenant, elsewhere.state = "acme", delivery.Delivered
		s.delivery(elsewhere)
	}
	reopen(endpoint)
	want := delivery.Dead
	if c.goes {
		want = delivery.Pending
	}
	require.Equal(s.t, want, s.stateOf(id), c.name)
	require.Equal(s.t, c.rivalEnds, s.stateOf(rival), c.name)
	if c.rivalEnds == delivery.Superseded {
		require.Equal(s.t, 1, s.count(`SELECT count(*) FROM malote.deliveries WHERE shard = $1 AND id = $2
			AND reason = 'replaced_by_newer' AND superseded_by = $3`, rival.Shard(), rival, id), c.name)
	}
}

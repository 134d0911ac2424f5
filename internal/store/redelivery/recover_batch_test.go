package redelivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestDracma_D10_RecoverBeginsANewCycleOfTheSameDelivery(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, age: 20 * time.Minute})
	event := s.eventOf(id)
	job := s.start(w, lastHour(endpoint))
	require.Equal(t, RecoveryDone, s.recoverAll(w, job.ID).Status)
	require.Equal(t, delivery.Pending, s.stateOf(id))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.queue WHERE shard = $1 AND id = $2 AND endpoint_id = $3 AND event_id = $4
		AND tenant = 'acme' AND trigger = 'recover' AND rendering = 1 AND attempt_count = 7 AND cycle_attempt = 0
		AND cycle_first_attempt_at IS NULL AND claim_token IS NULL AND lease_until IS NULL AND fifo_position IS NULL
		AND last_status = 503 AND last_error = 'http_status'
		AND next_attempt_at = cycle_started_at AND next_attempt_at BETWEEN now() - interval '1 minute' AND now()`,
		id.Shard(), id, endpoint, event))
}

func (s seeder) eventOf(id delivery.ID) (event delivery.ID) {
	s.t.Helper()
	require.NoError(s.t, s.store.Pool().QueryRow(s.t.Context(), `SELECT event_id FROM malote.deliveries WHERE shard = $1 AND id = $2`,
		id.Shard(), id).Scan(&event))
	return event
}

// Only what was recorded for the endpoint, in one of the states, in the window.
func TestDracma_D07_RecoverIsNotRetroactive(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint, other := s.endpoint("acme"), s.endpoint("acme")
	stays := make(map[delivery.ID]delivery.State)
	goes := make(map[delivery.ID]bool)
	for _, state := range delivery.States {
		id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: state, age: time.Minute})
		if state == delivery.Skipped || state == delivery.Dead {
			goes[id] = true
		} else {
			stays[id] = state
		}
		stays[s.delivery(row{tenant: "acme", endpoint: endpoint, state: state, age: 2 * time.Hour})] = state
	}
	stays[s.delivery(row{tenant: "acme", state: delivery.Skipped, age: time.Minute})] = delivery.Skipped // no_endpoint
	stays[s.delivery(row{tenant: "acme", endpoint: other, state: delivery.Skipped, age: time.Minute})] = delivery.Skipped
	done := s.recoverAll(w, s.start(w, lastHour(endpoint)).ID)
	require.Equal(t, []int{2, 2, 0}, []int{done.Total, done.Recovered, done.PassedOver})
	for id := range goes {
		require.Equal(t, delivery.Pending, s.stateOf(id))
	}
	for id, state := range stays {
		require.Equal(t, state, s.stateOf(id))
	}
}

func TestRecover_F15_TwentyThousandInBoundedBatches(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	const n = 20_000
	s.closedMany("acme", endpoint, n, delivery.Skipped, 40*time.Minute)
	// Quick enough for the longest queue: 4 slots, 10 ms each.
	s.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, total_ms) VALUES ($1, $2, date_trunc('hour', now()), 100, 1000)`,
		endpoint.Shard(), endpoint)
	job := s.start(w, lastHour(endpoint))
	require.Equal(t, n, job.Total)
	delivered, before, most := 0, 0, 0
	for {
		moved, _ := s.batch(w, job.ID)
		now := s.recovery(w, job.ID)
		require.LessOrEqual(t, now.Recovered-before, recoverBatch)
		before = now.Recovered
		pending := s.count(`SELECT count(*) FROM malote.queue WHERE status = 'pending'`)
		require.LessOrEqual(t, pending, mostPending)
		most = max(most, pending)
		if now.Status != RecoveryRunning {
			require.Equal(t, []int{n, 0}, []int{now.Recovered, now.PassedOver})
			break
		}
		if !moved {
			delivered += s.deliverPending(endpoint)
		}
	}
	require.Equal(t, mostPending, most)
	require.Equal(t, n, delivered+s.deliverPending(endpoint))
	require.Equal(t, n, s.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'delivered' AND trigger = 'recover'`))
}

// What waits is what the lane sends in a few seconds; what waits for its retry,
// or for others' sake, counts as far as it must.
func TestRecover_F15_WaitsWhileTheQueueIsFullEnough(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme") // 4 slots, nothing known of it
	s.closedMany("acme", endpoint, 2000, delivery.Skipped, time.Minute)
	s.pendingMany("acme", endpoint, 3000, time.Now()) // others'
	job := s.start(w, lastHour(endpoint))
	recovered := func() int { return s.recovery(w, job.ID).Recovered }
	step := func(want bool) {
		t.Helper()
		moved, _ := s.batch(w, job.ID)
		require.Equal(t, want, moved)
	}
	step(true)
	require.Equal(t, 100, recovered())
	step(false)
	// They all fail and wait for their retry: in front of nobody.
	later := func() {
		s.exec(`UPDATE malote.queue SET next_attempt_at = now() + interval '1 hour' WHERE trigger = 'recover'`)
	}
	for recovered() < 900 {
		later()
		step(true)
	}
	later()
	step(true)
	later()
	require.Equal(t, mostPending, recovered())
	step(false)
	s.exec(`DELETE FROM malote.queue WHERE trigger = 'recover'`)
	step(true)
}

func TestRecover_OvertakesNothingThatIsDue(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 3, delivery.Skipped, time.Minute)
	waiting := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Pending, age: time.Second})
	s.batch(w, s.start(w, lastHour(endpoint)).ID)
	var first delivery.ID
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), `SELECT id FROM malote.queue WHERE endpoint_id = $1
		ORDER BY next_attempt_at, id LIMIT 1`, endpoint).Scan(&first))
	require.Equal(t, waiting, first)
}

func TestRecover_StandsStillWhileTheEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 250, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	s.batch(w, job.ID)
	s.deliverPending(endpoint)
	before := s.recovery(w, job.ID)
	for _, status := range []delivery.EndpointStatus{delivery.DisabledByUser, delivery.DisabledBySystem} {
		s.setStatus(endpoint, status)
		moved, lanes := s.batch(w, job.ID)
		require.False(t, moved)
		require.Empty(t, lanes)
		require.Equal(t, before, s.recovery(w, job.ID))
	}
	s.setStatus(endpoint, delivery.Paused) // collects
	moved, _ := s.batch(w, job.ID)
	require.True(t, moved)
	s.setStatus(endpoint, delivery.Active)
	s.deliverPending(endpoint)
	done := s.recoverAll(w, job.ID)
	require.Equal(t, []int{250, 0}, []int{done.Recovered, done.PassedOver})
}

// The endpoint is disabled between the look at its lane and the lane's lock.
func TestRecover_StandsStillIfDisabledInTheMiddle(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 10, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	tx := s.begin()
	_, err := lockLane(t.Context(), tx, endpoint)
	require.NoError(t, err)
	moved := make(chan bool, 1)
	go func() {
		did, _ := s.batch(w, job.ID)
		moved <- did
	}()
	s.awaitLock()
	_, err = tx.Exec(t.Context(), `UPDATE malote.lanes SET status = 'disabled_by_user' WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.False(t, <-moved)
	require.Equal(t, job, s.recovery(w, job.ID))
	require.Zero(t, s.count(`SELECT count(*) FROM malote.queue`))
}

func TestRecover_FailsWithItsEndpoint(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.closedMany("acme", endpoint, 10, delivery.Skipped, time.Minute)
	job := s.start(w, lastHour(endpoint))
	s.setStatus(endpoint, delivery.Deleted)
	s.batch(w, job.ID)
	failed := s.recovery(w, job.ID)
	require.Equal(t, RecoveryFailed, failed.Status)
	require.Equal(t, "the endpoint was deleted", failed.Detail)
	require.False(t, failed.EndedAt.IsZero())
	require.Zero(t, failed.Recovered)
	running, err := w.RunningRecoveries(t.Context())
	require.NoError(t, err)
	require.Empty(t, running)
}

func TestRecover_PassesOverWhatMustNotGo(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	ids := s.closedMany("acme", endpoint, 6, delivery.Skipped, 10*time.Minute)
	job := s.start(w, lastHour(endpoint))
	s.forget(ids[1])
	s.exec(`UPDATE malote.deliveries SET state = 'resolved' WHERE shard = $1 AND id = $2`, ids[2].Shard(), ids[2])
	s.exec(`UPDATE malote.deliveries SET attempt_count = 1 WHERE shard = $1 AND id = $2`, ids[3].Shard(), ids[3]) // A06
	s.exec(`UPDATE malote.endpoints SET at_most_once = true`)
	done := s.recoverAll(w, job.ID)
	require.Equal(t, []int{6, 3, 3}, []int{done.Total, done.Recovered, done.PassedOver})
	for i, want := range []delivery.State{delivery.Pending, delivery.Skipped, delivery.Resolved, delivery.Skipped, delivery.Pending, delivery.Pending} {
		require.Equal(t, want, s.stateOf(ids[i]), i)
	}
}

func TestRecover_F13_NeverMakesWhatTheEndpointKnowsOlder(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	for _, c := range entityCases {
		c.check(s, func(endpoint delivery.ID) {
			window := lastHour(endpoint)
			window.Since = window.Since.Add(-time.Hour)
			require.Equal(t, RecoveryDone, s.recoverAll(w, s.start(w, window).ID).Status)
		})
	}
}

// A thousand changes of one entity that were skipped are one delivery, of the
// newest: in the batch they are left, over batches they replace one another.
func TestRecover_F13_AsManyAsEntities(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	ids := s.closedMany("acme", endpoint, 250, delivery.Skipped, time.Minute)
	s.exec(`UPDATE malote.deliveries SET coalesce_key = 'K' WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
	job := s.start(w, lastHour(endpoint))
	for s.recovery(w, job.ID).Status == RecoveryRunning {
		moved, _ := s.batch(w, job.ID)
		require.True(t, moved)
	}
	done := s.recovery(w, job.ID)
	require.Equal(t, []int{3, 247}, []int{done.Recovered, done.PassedOver})
	require.Equal(t, delivery.Pending, s.stateOf(ids[249]))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.queue`))
	require.Equal(t, 2, s.count(`SELECT count(*) FROM malote.deliveries WHERE state = 'superseded'`))
}

func TestRecover_StrictOrder_TakesPlacesInTheOrderOfIDs(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	s.strictOrder(endpoint)
	ids := s.closedMany("acme", endpoint, 130, delivery.Skipped, time.Minute)
	s.exec(`UPDATE malote.deliveries SET coalesce_key = md5(id::text) WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
	job := s.start(w, lastHour(endpoint))
	s.batch(w, job.ID)
	require.Equal(t, ids[:100], s.places(endpoint))
	s.deliverPending(endpoint)
	s.batch(w, job.ID)
	require.Equal(t, ids[100:], s.places(endpoint))
}

// A publisher has read that the endpoint is disabled, and commits what it skipped
// when the recovery has come to later ones.
func TestRecover_WaitsForPublishersThatAreNotDone(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	early := s.closedMany("acme", endpoint, 2, delivery.Skipped, time.Minute)
	tx := s.begin()
	// As publish_register.sql does.
	_, err := tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared((28012::bigint << 48) | floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`)
	require.NoError(t, err)
	late := s.closedMany("acme", endpoint, 1, delivery.Skipped, time.Nanosecond)
	job := s.start(w, lastHour(endpoint))
	moved, _ := s.batch(w, job.ID)
	require.True(t, moved)
	require.Equal(t, delivery.Pending, s.stateOf(early[1]))
	require.Equal(t, delivery.Skipped, s.stateOf(late[0]), "something before it may still appear")
	moved, _ = s.batch(w, job.ID)
	require.False(t, moved)
	require.Equal(t, RecoveryRunning, s.recovery(w, job.ID).Status)
	require.NoError(t, tx.Commit(t.Context()))
	done := s.recoverAll(w, job.ID)
	require.Equal(t, []int{3, 3, 0}, []int{done.Total, done.Recovered, done.PassedOver})
}

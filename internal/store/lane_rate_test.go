package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// TestRateLimit_ExactOverAllProcesses lets three processes claim at random times.
// In no span of time do more attempts begin than the burst and what the rate
// fills up in the span; and nothing that the rate allows is held back.
func TestRateLimit_ExactOverAllProcesses(t *testing.T) {
	f := newFixture(t)
	s, clock := pgtest.OpenAt(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	f.store = s
	e := f.endpoint("acme", 1000)
	workers := []*store.Store{s, s, pgtest.OpenDSN(t, clock.DSN())}
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]float64{0.2, 1, 3, 10, 25, 500}).Draw(t, "rate")
		burst := rapid.IntRange(1, 20).Draw(t, "burst")
		f.exec(`DELETE FROM malote.queue`)
		f.exec(`UPDATE malote.lanes SET rate_limit = $1, rate_burst = $2, rate_ready_at = NULL, parked_full = false, ready_at = now()`, rate, burst)
		f.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
			SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), 'acme', 'pending', 'schedule', now(), now() FROM generate_series(1, 200)`,
			e.ID.Shard(), e.ID)
		var begun []time.Time
		for range rapid.IntRange(1, 25).Draw(t, "claims") {
			n := rapid.IntRange(1, 30).Draw(t, "n")
			taken, now, next := f.takeAnyway(workers[rapid.IntRange(0, 2).Draw(t, "worker")], n)
			for range taken {
				begun = append(begun, now)
			}
			requireWithinRate(t, begun, rate, burst)
			if taken == 0 && next < delivery.NothingDue {
				clock.Advance(f, next) // exactly when the rate allows the next
				taken, now, _ = f.takeAnyway(s, 1)
				require.Equal(t, 1, taken, "held back longer than the rate asks")
				begun = append(begun, now)
				requireWithinRate(t, begun, rate, burst)
			}
			clock.Advance(f, time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms"))*time.Millisecond)
		}
	})
}

// takeAnyway claims, counting what was claimed although its events are not there.
func (f *fixture) takeAnyway(worker *store.Store, n int) (taken int, now time.Time, next time.Duration) {
	f.Helper()
	before := scalar[int](f, `SELECT count(*)::int FROM malote.queue WHERE status = 'sending'`)
	claimed, err := worker.Claim(f.Context(), n)
	require.NoError(f, err)
	after := scalar[int](f, `SELECT count(*)::int FROM malote.queue WHERE status = 'sending'`)
	return after - before, scalar[time.Time](f, `SELECT now()`), claimed.NextDue
}

func requireWithinRate(t *rapid.T, begun []time.Time, rate float64, burst int) {
	last := len(begun) - 1
	for i := range begun {
		span := begun[last].Sub(begun[i])
		require.LessOrEqual(t, float64(last-i+1), float64(burst)+rate*span.Seconds()+1e-3, "%d attempts within %s", last-i+1, span)
	}
}

func TestRateLimit_ARetryCountsAndAPublisherDoesNotWakeTheLaneEarly(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 10)
	f.exec(`UPDATE malote.lanes SET rate_limit = 0.01, rate_burst = 1`)
	f.publish(draft("acme", "1"))
	f.answer(500, f.claim(10)...)
	f.exec(`UPDATE malote.queue SET next_attempt_at = now()`)
	f.publish(draft("acme", "2"))
	claimed, err := f.store.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, claimed.Claims)
	require.Empty(t, claimed.Lanes, "the publisher left the lane alone")
	require.Greater(t, claimed.NextDue, 90*time.Second)
	f.exec(`UPDATE malote.queue SET next_attempt_at = now() - interval '1 minute'`)
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded)
}

package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// TestAxxos_A09_PriorityIsAShareAndNobodyStarves: lanes of any weights, all with
// a backlog, claimed from by any numbers at a time. Each gets its weight's share,
// to within a turn; so the lowest has its turn in every round.
func TestAxxos_A09_PriorityIsAShareAndNobodyStarves(t *testing.T) {
	f := newFixture(t)
	var endpoints []*delivery.Endpoint
	for i := range 5 {
		endpoints = append(endpoints, f.endpoint(fmt.Sprintf("tenant-%d", i), 1000))
	}
	rapid.Check(t, func(t *rapid.T) {
		weights := make(map[delivery.ID]int)
		total := 0
		f.exec(`DELETE FROM malote.queue`)
		for i, e := range endpoints {
			weight := rapid.IntRange(1, 10).Draw(t, "weight")
			weights[e.ID], total = weight, total+weight
			f.exec(`UPDATE malote.lanes SET weight = $3, turn_left = 1, parked_full = false, ready_at = now() - make_interval(secs => $4)
				WHERE shard = $1 AND endpoint_id = $2`, e.ID.Shard(), e.ID, weight, len(endpoints)-i)
			f.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
				SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), $3, 'pending', 'schedule', now(), now() FROM generate_series(1, 400)`,
				e.ID.Shard(), e.ID, e.Tenant)
		}
		n := rapid.IntRange(1, 2*total).Draw(t, "n")
		taken := 0
		for range rapid.IntRange(1, 30).Draw(t, "claims") {
			if taken+n > 350 { // the highest has not used up its backlog
				break
			}
			_, err := f.store.Claim(f.Context(), n)
			require.NoError(t, err)
			taken += n
		}
		got := f.sendingByEndpoint()
		sum := 0
		for id, weight := range weights {
			sum += got[id]
			share := float64(taken) * float64(weight) / float64(total)
			// The first turn has one only (turn_left), the last may be cut short.
			require.InDelta(t, share, got[id], float64(2*weight+1), "weight %d of %d, %d at a time", weight, total, n)
		}
		require.Equal(t, taken, sum, "slots are never left unused")
	})
}

func (f *fixture) sendingByEndpoint() map[delivery.ID]int {
	f.Helper()
	rows, err := f.store.Pool().Query(f.Context(), `SELECT endpoint_id, count(*)::int FROM malote.queue WHERE status = 'sending' GROUP BY 1`)
	require.NoError(f, err)
	counts := make(map[delivery.ID]int)
	for rows.Next() {
		var id delivery.ID
		var n int
		require.NoError(f, rows.Scan(&id, &n))
		counts[id] = n
	}
	require.NoError(f, rows.Err())
	return counts
}

// TestAxxos_A09_FiftyThousandOfOneDelayNobody: one tenant's backlog, however
// long, is one lane.
func TestAxxos_A09_FiftyThousandOfOneDelayNobody(t *testing.T) {
	f := newFixture(t)
	busy, quiet := f.endpoint("busy", 10), f.endpoint("quiet", 10)
	f.publish(draft("quiet", "now"))
	f.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
		SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), 'busy', 'pending', 'schedule', now() - interval '1 hour', now()
		FROM generate_series(1, 50000)`, busy.ID.Shard(), busy.ID)
	f.exec(`UPDATE malote.lanes SET ready_at = now() - interval '1 hour' WHERE endpoint_id = $1`, busy.ID)
	_, err := f.store.Claim(t.Context(), 4)
	require.NoError(t, err)
	require.Equal(t, map[delivery.ID]int{busy.ID: 3, quiet.ID: 1}, f.sendingByEndpoint())
}

// A lane with a large share and few slots of its own does not lose its turn each
// time it is full: the rest of the turn is at the front when a slot is free again.
func TestAxxos_A09_AFullLaneKeepsItsTurn(t *testing.T) {
	f := newFixture(t)
	const slots, steps = 16, 400
	heavy := f.endpoint("heavy", 2)
	f.exec(`UPDATE malote.lanes SET weight = 10`)
	endpoints := []*delivery.Endpoint{heavy}
	for i := range 24 {
		endpoints = append(endpoints, f.endpoint(fmt.Sprintf("light-%d", i), 10))
	}
	for _, e := range endpoints {
		f.publishMany(e.Tenant, 150)
	}
	var inFlight []*delivery.Claim
	served := 0
	for range steps {
		claims := f.claim(slots - len(inFlight))
		for _, c := range claims {
			if c.Endpoint.ID == heavy.ID {
				served++
			}
		}
		inFlight = append(inFlight, claims...)
		f.answer(200, inFlight[0]) // the longest under way
		inFlight = inFlight[1:]
	}
	// Its two slots of sixteen are its share: one in eight. Without its turn it
	// would have one in twenty-five.
	require.Greater(t, served, steps/10)
}

package redelivery

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// seededRow is a delivery of a random history.
type seededRow struct {
	row
	lost bool // its event
	once bool // it was attempted, and its endpoint wants everything at most once
}

// wanted says whether a recovery of skipped, dead and discarded ones of the last
// hour must look at the row.
func (r seededRow) wanted() bool {
	return r.age < time.Hour && r.trigger != delivery.TriggerTest && r.reason == "" && slices.Contains([]delivery.State{delivery.Skipped, delivery.Dead, delivery.Discarded}, r.state)
}

func (r seededRow) mayGo() bool { return r.wanted() && !r.lost && !r.once }

// randomHistory gives an endpoint up to 30 deliveries in all states, of which an
// entity has one pending at most.
func (s seeder) randomHistory(random *rand.Rand, endpoint delivery.ID) map[delivery.ID]seededRow {
	s.t.Helper()
	atMostOnce := random.IntN(4) == 0
	s.exec(`UPDATE malote.endpoints SET at_most_once = $3 WHERE shard = $1 AND id = $2`, endpoint.Shard(), endpoint, atMostOnce)
	history := make(map[delivery.ID]seededRow)
	isPending := make(map[string]bool)
	for range random.IntN(30) {
		r := seededRow{row: row{tenant: "acme", endpoint: endpoint, state: delivery.States[random.IntN(len(delivery.States))],
			age: time.Duration(1+random.IntN(119)) * time.Minute}}
		if random.IntN(3) > 0 {
			r.key = fmt.Sprint("K", random.IntN(3))
		}
		if r.state == delivery.Sending || r.state == delivery.Pending && isPending[r.key] {
			r.state = delivery.Skipped
		}
		if r.state == delivery.Skipped && random.IntN(4) == 0 {
			r.reason = delivery.Filtered
		}
		if !r.state.Open() && random.IntN(6) == 0 {
			r.trigger = delivery.TriggerTest
		}
		isPending[r.key] = r.key != "" && (isPending[r.key] || r.state == delivery.Pending)
		id := s.delivery(r.row)
		if !r.state.Open() && random.IntN(8) == 0 {
			r.lost = true
			s.forget(id)
		}
		if random.IntN(2) == 0 {
			s.exec(`UPDATE malote.deliveries SET attempt_count = 0 WHERE shard = $1 AND id = $2`, id.Shard(), id)
		} else {
			r.once = atMostOnce
		}
		history[id] = r
	}
	return history
}

// Whatever the history: what stands alone goes, once; of an entity nothing older
// than what arrived; what is none of the recovery's business stays.
func TestRecover_AnyHistory(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		w.stretchRows = 1 + random.IntN(12)
		endpoint := s.endpoint("acme")
		s.exec(`INSERT INTO malote.lane_stats (shard, endpoint_id, hour, ok, total_ms) VALUES ($1, $2, date_trunc('hour', now()), 1, 5000)`,
			endpoint.Shard(), endpoint) // 4 slots: batches of 4
		history := s.randomHistory(random, endpoint)
		window := lastHour(endpoint)
		window.States = append(window.States, delivery.Discarded)
		job := s.start(w, window)
		newest := make(map[string]delivery.ID) // that arrived
		for id, r := range history {
			if r.state == delivery.Delivered && newer(id, newest[r.key]) {
				newest[r.key] = id
			}
		}
		for done := false; !done; {
			s.batch(w, job.ID)
			for id, r := range history {
				if r.key != "" && r.state != delivery.Pending && s.stateOf(id) == delivery.Pending {
					require.Positive(t, bytes.Compare(id[:], newestOf(newest, r.key)), "seed %d: %s is older than what arrived", seed, id)
					newest[r.key] = id
				}
			}
			s.deliverPending(endpoint)
			done = s.recovery(w, job.ID).Status != RecoveryRunning
		}
		s.checkRecovered(w, job, history, seed)
	}
}

func newestOf(newest map[string]delivery.ID, key string) []byte {
	id := newest[key]
	return id[:]
}

func (s seeder) checkRecovered(w *Writer, job Recovery, history map[delivery.ID]seededRow, seed uint64) {
	s.t.Helper()
	total, recovered := 0, 0
	for _, id := range slices.SortedFunc(maps.Keys(history), func(a, b delivery.ID) int { return bytes.Compare(a[:], b[:]) }) {
		r, ends := history[id], s.stateOf(id)
		went := s.count(`SELECT count(*) FROM malote.deliveries WHERE shard = $1 AND id = $2 AND trigger = 'recover'`, id.Shard(), id) > 0
		if r.wanted() {
			total++
		}
		if went {
			recovered++
		}
		switch {
		case r.mayGo() && r.key == "":
			require.True(s.t, went && ends == delivery.Delivered, "seed %d: %s, %s", seed, id, ends)
		case !r.mayGo():
			require.False(s.t, went, "seed %d: %s must not go", seed, id)
			fallthrough
		case !went:
			open := r.state == delivery.Pending && (ends == delivery.Delivered || ends == delivery.Superseded)
			require.True(s.t, open || ends == r.state, "seed %d: %s was %s and is %s", seed, id, r.state, ends)
		}
	}
	done := s.recovery(w, job.ID)
	require.Equal(s.t, RecoveryDone, done.Status)
	require.Equal(s.t, []int{total, recovered, total - recovered}, []int{done.Total, done.Recovered, done.PassedOver}, "seed %d", seed)
}

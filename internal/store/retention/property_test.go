package retention

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// Whatever is there, exactly what should be readable is, after one run and after
// the next day's.
func TestRetire_LeavesExactlyWhatShouldBeReadable(t *testing.T) {
	t.Parallel()
	for range 3 {
		seed := rand.Uint64()
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			w := newWorld(t)
			for _, days := range []int{27, 28, 29, 30, 31, 32, 33, 34} {
				w.makeDay(days)
			}
			var rows []row
			var written []seeded
			for range 10 + random.IntN(40) {
				r := randomRow(random)
				rows, written = append(rows, r), append(written, w.add(r))
			}
			before := w.contents()
			removed := w.retire()
			require.Equal(t, expected(rows, written), w.contents())
			require.Equal(t, difference(before, w.contents()), removed)

			for i := range rows { // some of it is seen to
				if rows[i].state != delivery.Delivered && random.IntN(3) > 0 {
					w.noLongerNeeded(written[i])
					rows[i].keyUntil = time.Time{}
					rows[i].state = ended(rows[i])
				}
			}
			w.tomorrow()
			before = w.contents()
			removed = w.retire()
			require.Equal(t, expected(rows, written), w.contents())
			require.Equal(t, difference(before, w.contents()), removed)
		})
	}
}

func randomRow(random *rand.Rand) row {
	r := row{at: noon(29 + random.IntN(6)).Add(time.Duration(random.IntN(1000)) * time.Second)}
	if random.IntN(10) > 0 {
		r.state = delivery.States[random.IntN(len(delivery.States))]
		for range random.IntN(3) {
			r.attempts = append(r.attempts, random.IntN(3))
		}
	}
	if random.IntN(4) == 0 {
		r.key = string(rune('a'+random.IntN(26))) + time.Duration(random.Int64()).String()
		r.keyUntil = time.Now().Add(time.Duration(random.IntN(3)-1) * time.Hour)
	}
	return r
}

// ended is the state after noLongerNeeded: closed deliveries are resolved, and open
// ones are nowhere.
func ended(r row) delivery.State {
	if r.state == "" || r.state.Open() {
		return ""
	}
	return delivery.Resolved
}

// expected is the model: what is not older than the retention, and what is needed.
func expected(rows []row, written []seeded) contents {
	cutoff := time.Now().UTC().Add(-Default)
	isOld := func(at time.Time) bool { return !at.Truncate(day).Add(day).After(cutoff) }
	all := contents{events: {}, renderings: {}, deliveries: {}, attempts: {}, "queue": {}}
	for i, r := range rows {
		s := written[i]
		isNeeded := r.state.Open() || r.state == delivery.Dead
		if !isOld(r.at) || isNeeded || r.keyUntil.After(time.Now()) {
			all[events] = append(all[events], s.event)
		}
		switch {
		case r.state.Open():
			all["queue"] = append(all["queue"], s.delivery)
		case r.state != "" && (!isOld(r.at) || r.state == delivery.Dead):
			all[deliveries] = append(all[deliveries], s.delivery)
		}
		for j, after := range r.attempts {
			if isNeeded || !isOld(r.at.AddDate(0, 0, after+1)) {
				all[attempts] = append(all[attempts], s.tokens[j])
			}
		}
	}
	all[renderings] = slices.Clone(all[events])
	for table := range all {
		sorted(all[table])
	}
	return all
}

func difference(before, after contents) Removed {
	gone := make(Removed)
	for table := range before {
		if n := len(before[table]) - len(after[table]); n != 0 {
			gone[table] = int64(n)
		}
	}
	return gone
}

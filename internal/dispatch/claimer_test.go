package dispatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestPace(t *testing.T) {
	t.Parallel()
	claims := func(n int) []*delivery.Claim { return make([]*delivery.Claim, n) }
	const asked = 10
	for name, test := range map[string]struct {
		claimed delivery.Claimed
		want    time.Duration
	}{
		"all that was asked for":       {delivery.Claimed{Claims: claims(10), Lanes: lanes(1, 2, 3), NextDue: delivery.NothingDue}, 0},
		"as many lanes as possible":    {delivery.Claimed{Claims: claims(4), Lanes: make([]delivery.LaneRef, 10), More: true, NextDue: 0}, 0},
		"such lanes, all empty":        {delivery.Claimed{Lanes: make([]delivery.LaneRef, 10), More: true, NextDue: delivery.NothingDue}, 0},
		"nothing is due, ever":         {delivery.Claimed{NextDue: delivery.NothingDue}, time.Second},
		"some, and nothing more":       {delivery.Claimed{Claims: claims(1), Lanes: lanes(1), NextDue: delivery.NothingDue}, time.Second},
		"some, and more at once":       {delivery.Claimed{Claims: claims(1), Lanes: lanes(1), NextDue: 0}, 0},
		"some, and more soon":          {delivery.Claimed{Claims: claims(1), Lanes: lanes(1), NextDue: 3 * time.Microsecond}, 3 * time.Microsecond},
		"nothing yet, but soon":        {delivery.Claimed{NextDue: 300 * time.Millisecond}, 300 * time.Millisecond},
		"nothing yet, far from it":     {delivery.Claimed{NextDue: time.Hour}, time.Second},
		"nothing, though it is due":    {delivery.Claimed{NextDue: 0}, time.Millisecond},
		"nothing, a hair too early":    {delivery.Claimed{NextDue: time.Microsecond}, time.Millisecond},
		"nothing, a few ms too early":  {delivery.Claimed{NextDue: 7 * time.Millisecond}, 7 * time.Millisecond},
		"nothing, after lanes in line": {delivery.Claimed{Lanes: lanes(1, 2), NextDue: 0}, time.Millisecond},
	} {
		require.Equal(t, test.want, newPace(time.Second).after(test.claimed, asked), name)
	}
}

func TestPace_EmptyClaimsAreSpacedUntilOneBringsSomething(t *testing.T) {
	t.Parallel()
	p := newPace(time.Second)
	none, some := delivery.Claimed{}, delivery.Claimed{Claims: make([]*delivery.Claim, 1), Lanes: lanes(1)}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 64, 100, 100}
	for _, ms := range want {
		require.Equal(t, ms*time.Millisecond, p.after(none, 5))
	}
	require.Zero(t, p.after(some, 5))
	require.Equal(t, time.Millisecond, p.after(none, 5))
}

func TestPace_ErrorsAreSpacedUntilAClaimWorks(t *testing.T) {
	t.Parallel()
	p := newPace(time.Second)
	for _, ms := range []time.Duration{50, 100, 200, 400, 800, 1600, 3200, 5000, 5000} {
		require.Equal(t, ms*time.Millisecond, p.afterError())
	}
	p.after(delivery.Claimed{NextDue: delivery.NothingDue}, 5)
	require.Equal(t, 50*time.Millisecond, p.afterError())
}

// A lane that another process holds – stopped in the middle, with the row
// locked – is due and cannot be had.
func TestClaimer_DoesNotSpinOnWhatIsDueAndCannotBeHad(t *testing.T) {
	t.Parallel()
	for _, nextDue := range []time.Duration{0, time.Nanosecond, 3 * time.Microsecond} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(answering(0, 204), nil)
			held := &heldLane{nextDue: nextDue}
			r.options.Storage = held
			r.start(t)
			held.giveUp = r.stop
			elapse(t, 10*time.Second)
			require.Less(t, held.claims.Load(), int32(120), "about ten a second, once it lasts")
			require.Greater(t, held.claims.Load(), int32(50))
		})
	}
}

func TestClaimer_PollsWhenNothingIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.start(t)
		began := time.Now()
		elapse(t, 3500*time.Millisecond)
		for i, at := range r.memory.claimTimes() {
			require.Equal(t, time.Duration(i)*time.Second, at.Sub(began))
		}
		require.Len(t, r.memory.claimTimes(), 4)
	})
}

func TestClaimer_WakesWhenTheNextIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		lane := r.memory.lane(4, 1)
		due := time.Now().Add(1234567 * time.Microsecond)
		lane.pending[0].due = due
		r.start(t)
		elapse(t, 2*time.Second)
		require.Equal(t, []time.Time{due}, r.sender.signed(), "not a poll later, and not a hair before")
		require.Less(t, len(r.memory.claimTimes()), 8)
	})
}

func TestClaimer_SignalsAreNeverLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		lane := r.memory.lane(4, 0)
		began, published := time.Now(), false
		r.memory.afterClaim = func() { // the claim has looked, and does not wait yet
			if !published {
				published = true
				r.memory.addTo(lane, 1)
				r.Signal()
				r.Signal() // never blocks
			}
		}
		r.start(t)
		elapse(t, time.Second/2)
		require.Equal(t, []time.Time{began}, r.sender.signed())
	})
}

func TestClaimer_ErrorsBackOffWhateverIsSignalled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.memory.lane(4, 10)
		r.memory.onClaim = func() error {
			r.Signal()
			return errAway
		}
		r.start(t)
		elapse(t, time.Minute)
		require.Less(t, len(r.memory.claimTimes()), 20)

		r.memory.mu.Lock()
		r.memory.onClaim = nil
		r.memory.mu.Unlock()
		elapse(t, 5*time.Second)
		require.Equal(t, states(delivery.Delivered, 10), r.memory.states(), "it goes on when the database is back")
	})
}

func TestClaimer_ClaimsAgainAtOnceWhileThereMayBeMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		// Full deliveries: one lane has more than the slots.
		r := newRig(answering(0, 204), func(o *Options) { o.MaxInFlight = 8 })
		r.memory.lane(100, 80)
		// Full lanes: more of them than slots, one delivery each.
		for range 80 {
			r.memory.lane(4, 1)
		}
		r.start(t)
		synctest.Wait()
		require.Equal(t, states(delivery.Delivered, 160), r.memory.states())
		require.Equal(t, began, time.Now(), "without a single pause")
		require.LessOrEqual(t, r.sender.mostAtOnce(), 8)
	})
}

func TestFairQueue_F05_ProcessLimit(t *testing.T) {
	t.Parallel()
	for limit, change := range map[int]func(*Options){
		DefaultMaxInFlight: nil,
		7:                  func(o *Options) { o.MaxInFlight = 7 },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(answering(100*time.Millisecond, 204), change)
			for range 100 {
				r.memory.lane(4, 4)
			}
			r.start(t)
			elapse(t, 10*time.Second)
			require.Equal(t, states(delivery.Delivered, 400), r.memory.states())
			require.Equal(t, limit, r.sender.mostAtOnce(), "never more, and no less")
		})
	}
	require.Equal(t, 64, DefaultMaxInFlight)
}

func TestFairQueue_F15_DrainsAtMaxInFlightByResponseTime(t *testing.T) {
	t.Parallel()
	const backlog, limit, response = 400, 4, 50 * time.Millisecond
	for _, processes := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			began, shared := time.Now(), newMemory()
			lane := shared.lane(limit, backlog)
			var rigs []*rig
			for range processes {
				r := newRig(answering(response, 204), func(o *Options) { o.Storage = shared })
				r.start(t)
				rigs = append(rigs, r)
			}
			for shared.states()[delivery.Delivered] < backlog {
				elapse(t, response)
				for _, r := range rigs {
					r.Signal() // as the notification from another process would
				}
			}
			synctest.Wait()
			require.Equal(t, backlog/limit*response, time.Since(began))
			require.Equal(t, limit, lane.most)
		})
	}
}

func TestClaimer_HandsBackWhatAFailedClaimCommitted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), nil)
		r.memory.lane(4, 4)
		r.options.Storage = &brokenOnce{memory: r.memory}
		r.start(t)
		elapse(t, time.Second)
		require.Equal(t, states(delivery.Delivered, 4), r.memory.states())
		require.Len(t, r.sender.sent(), 4, "nothing incomplete was sent")
		for _, done := range r.memory.outcomes()[:4] {
			require.Equal(t, policy.Unsent, done.Kind)
		}
	})
}

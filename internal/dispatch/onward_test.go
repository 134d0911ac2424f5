package dispatch

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// A lane that takes two at a time and has a backlog goes on by itself: whatever ends an
// attempt claims the next.
func TestOnward_AFullLaneGoesOnWithoutClaims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(10*time.Millisecond, 204), func(o *Options) { o.MaxInFlight = 8 })
		lane := r.memory.lane(2, 100)
		r.start(t)
		elapse(t, 49*10*time.Millisecond+time.Millisecond)
		require.Equal(t, states(delivery.Delivered, 98, delivery.Sending, 2), r.memory.states())
		require.Equal(t, 98, r.memory.onward)
		require.Len(t, r.memory.claimTimes(), 1)
		elapse(t, time.Second)
		require.Equal(t, states(delivery.Delivered, 100), r.memory.states())
		require.Equal(t, 2, lane.most)
		require.Empty(t, r.slots, "all are given back")
	})
}

// Where slots are short, what ends gives its slot to who has waited longest.
func TestOnward_NotWhileSlotsAreShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(10*time.Millisecond, 204), func(o *Options) { o.MaxInFlight = 2 })
		r.memory.lane(2, 20)
		r.memory.lane(2, 20)
		r.start(t)
		elapse(t, 105*time.Millisecond)
		require.Equal(t, states(delivery.Delivered, 20, delivery.Sending, 2, delivery.Pending, 18), r.memory.states())
		require.Zero(t, r.memory.onward)
	})
}

// An endpoint that hangs gets nothing but what a claim finds room for.
func TestOnward_NotOfAnEndpointThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := true
		sender := &sending{}
		sender.answer = func(ctx context.Context, _ *delivery.Claim) delivery.Outcome {
			sender.mu.Lock()
			takes := 10 * time.Millisecond
			if first {
				first, takes = false, time.Hour
			}
			sender.mu.Unlock()
			if !pause(ctx, takes) {
				return delivery.Outcome{Error: delivery.InterruptedSend}
			}
			return delivery.Outcome{Status: 204, Duration: takes}
		}
		r := newRig(sender, func(o *Options) { o.MaxInFlight = 8 })
		r.memory.lane(2, 10_000)
		r.start(t)
		elapse(t, delivery.SlowAnswer)
		require.NotZero(t, r.memory.onward)
		elapse(t, time.Second)
		before, claims := r.memory.onward, len(r.memory.claimTimes())
		elapse(t, time.Second)
		require.Equal(t, before, r.memory.onward)
		require.Greater(t, len(r.memory.claimTimes()), claims)
	})
}

// What a full lane got before a completion looked at it, is left to the end of its
// attempts. What it got since, is looked at as soon as ever.
func TestHand_WhatACompletionSawOfAFullLaneWaitsForNoClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var signals atomic.Int32
		h := newHandover(2, func() { signals.Add(1) })
		h.reopen()
		h.saw(delivery.Claimed{Full: lanes(1)}, nil, time.Now())
		look := func(began time.Time) { h.saw(delivery.Claimed{Lanes: lanes(1), Full: lanes(1)}, nil, began) }

		require.True(t, h.offer(lanes(1)))
		elapse(t, patience/2)
		look(time.Now())
		elapse(t, time.Hour)
		require.Zero(t, signals.Load())
		require.False(t, h.hasLanes())

		for range 10 { // new work all the time, and looks all the time
			require.True(t, h.offer(lanes(1)))
			elapse(t, patience/5)
			began := time.Now()
			elapse(t, patience/5)
			require.True(t, h.offer(lanes(1)), "while the look is under way")
			look(began)
		}
		require.Zero(t, signals.Load())
		elapse(t, patience)
		require.EqualValues(t, 1, signals.Load(), "the last one was seen by no look")
		require.Equal(t, lanes(1), h.close())
	})
}

// The last slot is left for what is handed over meanwhile, and others for what no
// completion may claim.
func TestOnward_TakesWhatItMayUse(t *testing.T) {
	t.Parallel()
	full, other := newEndpoint(), newEndpoint()
	batch := []policy.Completion{outcomeOf(full, 1), outcomeOf(other, 1), outcomeOf(full, 2)}
	ref := delivery.LaneRef{Shard: full.ID.Shard(), EndpointID: full.ID}
	for _, x := range []struct{ free, want int }{{0, 0}, {1, 0}, {2, 1}, {3, 2}, {9, 2}} {
		d := New(Options{MaxInFlight: 9})
		for range 9 - x.free {
			d.slots <- struct{}{}
		}
		d.handover.saw(delivery.Claimed{Full: []delivery.LaneRef{ref}}, nil, time.Now())
		require.Zero(t, d.reserve(batch).Slots, "claims leave something due")
		d.handover.reopen()
		require.Equal(t, x.want, d.reserve(batch).Slots, "of %d free", x.free)
		require.Len(t, d.slots, 9-x.free+x.want)
		require.Zero(t, d.reserve(batch[1:2]).Slots, "it is not full")

		stopped, stop := context.WithCancel(t.Context())
		stop()
		d.sending.until = stopped
		require.Zero(t, d.reserve(batch).Slots, "the process stops")
	}
}

// inDoubt is a Storage whose first completion fails, and may have parked a lane.
type inDoubt struct {
	*book
	lanes []delivery.LaneRef
}

func (d *inDoubt) CompleteAndClaim(ctx context.Context, batch []policy.Completion, onward policy.Onward) (policy.Completed, error) {
	if lanes := d.lanes; lanes != nil {
		d.lanes = nil
		return policy.Completed{Next: delivery.Claimed{Untaken: lanes}}, errAway
	}
	return d.book.CompleteAndClaim(ctx, batch, onward)
}

// What a try may have parked is woken by one that has waited for it.
func TestOnward_WakesWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		c, _ := newTestCompleters(&inDoubt{b, lanes(1)}, 1)
		slots := c.slots.(*shortage)
		c.add(outcomeOf(newEndpoint(), 1))
		c.finish()
		require.Len(t, b.attempts(), 1)
		require.Equal(t, lanes(1), slots.woken)
	})
}

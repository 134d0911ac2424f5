package dispatch

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// wokenLanes is what was left to be woken in the database.
type wokenLanes struct {
	mu    sync.Mutex
	lanes []delivery.LaneRef
}

func (w *wokenLanes) wake(lanes []delivery.LaneRef) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lanes = append(w.lanes, lanes...)
}

func (w *wokenLanes) all() []delivery.LaneRef {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]delivery.LaneRef(nil), w.lanes...)
}

// handing is a running rig with slots to spare, and a parked lane that has work.
func handing(t *testing.T, slots int) (*rig, *memoryLane, *wokenLanes) {
	t.Helper()
	woken := &wokenLanes{}
	r := newRig(answering(10*time.Millisecond, 204), func(o *Options) {
		o.MaxInFlight, o.Wake = slots, woken.wake
	})
	lane := r.memory.lane(10, 0)
	lane.parked = true
	r.start(t)
	elapse(t, 10*time.Millisecond)
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.memory.addTo(lane, 1)
	return r, lane, woken
}

func TestHand_IsClaimedFromWithoutBeingWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		elapse(t, 3*time.Second)
		require.Equal(t, states(delivery.Pending, 1), r.memory.states(), "parked, it is not found by looking")

		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, 20*time.Millisecond)
		require.Equal(t, states(delivery.Delivered, 1), r.memory.states())
		require.Empty(t, woken.all())
	})
}

func TestHand_NotWhileSlotsAreShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 2)
		r.memory.mu.Lock()
		r.memory.addTo(r.memory.lanes[0], 1)
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, time.Millisecond)
		require.Equal(t, states(delivery.Sending, 2), r.memory.states())
		require.False(t, r.Hand([]delivery.LaneRef{lane.ref()}), "all slots are taken: it must stand in line")
		require.Empty(t, woken.all())
	})
}

func TestHand_NoMoreLanesThanSlots(t *testing.T) {
	t.Parallel()
	h := newHandover(3, func() {})
	require.False(t, h.offer(lanes(1)), "not before a claim found nothing more")
	h.reopen()
	require.True(t, h.offer(lanes(1, 2)))
	require.False(t, h.offer(lanes(3, 4)), "all or none")
	require.True(t, h.offer(lanes(3)))
	require.ElementsMatch(t, lanes(1, 2, 3), h.take())
	require.Empty(t, h.take())
	require.True(t, h.offer(lanes(4)))
	require.Equal(t, lanes(4), h.close())
	require.False(t, h.offer(lanes(5)))
}

// A lane that a completion holds at this moment is had the next time; one that
// cannot be had then either, is woken.
func TestHand_InVainTwiceIsWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		r.memory.mu.Lock()
		r.memory.isHeld = true
		held := len(r.memory.claims)
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, 500*time.Millisecond)
		require.Equal(t, []delivery.LaneRef{lane.ref()}, woken.all())
		require.Len(t, r.memory.claimTimes()[held:], 2)

		// And it may be handed over again.
		r.memory.mu.Lock()
		r.memory.isHeld = false
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, 20*time.Millisecond)
		require.Equal(t, states(delivery.Delivered, 1), r.memory.states())
	})
}

// An endpoint that takes all it may and is slow, has new work all the time: the claims
// that this costs are no more than one in a while, and its work waits for no claim
// when an attempt of it ends.
func TestHand_AFullLaneHasNoClaimsOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		woken := &wokenLanes{}
		r := newRig(answering(time.Second, 204), func(o *Options) { o.MaxInFlight, o.Wake = 8, woken.wake })
		lane := r.memory.lane(1, 0)
		lane.parked = true
		r.start(t)
		elapse(t, 10*time.Millisecond)
		const works = 100
		add := func() {
			r.memory.mu.Lock()
			r.memory.addTo(lane, 1)
			r.memory.mu.Unlock()
			require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		}
		add()
		elapse(t, 10*time.Millisecond)
		before := len(r.memory.claimTimes())
		for range works {
			add()
			elapse(t, time.Millisecond)
		}
		require.LessOrEqual(t, len(r.memory.claimTimes())-before, works/int(patience/time.Millisecond)+1)
		require.Equal(t, states(delivery.Sending, 1, delivery.Pending, works), r.memory.states())
		elapse(t, time.Second-works*time.Millisecond)
		require.Equal(t, states(delivery.Delivered, 1, delivery.Sending, 1, delivery.Pending, works-1), r.memory.states())
		require.Empty(t, woken.all())
	})
}

// That a lane is full may have changed since: then its work waits only a little.
func TestHand_ALaneThatWasFullIsLookedAtSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		r.memory.mu.Lock()
		lane.limit = 1
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, time.Millisecond)
		r.memory.mu.Lock()
		lane.limit = 2 // as if another process had ended an attempt
		r.memory.addTo(lane, 1)
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, time.Millisecond)
		require.Equal(t, states(delivery.Sending, 1, delivery.Pending, 1), r.memory.states())
		elapse(t, patience)
		require.Zero(t, r.memory.states()[delivery.Pending])
		require.Empty(t, woken.all())
	})
}

// A lane that takes one at a time is full after every claim, and is not so any more once
// a claim has found it empty: new work waits for nothing then.
func TestHand_ALaneThatWasEmptiedIsNotFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		r.memory.mu.Lock()
		lane.limit, lane.parks = 1, true
		r.memory.mu.Unlock()
		for n := range 3 {
			require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
			elapse(t, time.Millisecond)
			require.Equal(t, 1, r.memory.states()[delivery.Sending])
			elapse(t, 20*time.Millisecond)
			require.Equal(t, states(delivery.Delivered, n+1), r.memory.states())
			r.memory.mu.Lock()
			require.True(t, lane.parked)
			r.memory.addTo(lane, 1)
			r.memory.mu.Unlock()
		}
		require.Empty(t, woken.all())
	})
}

func TestHand_RemembersFewFullLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		signals := 0
		h := newHandover(2, func() { signals++ })
		h.reopen()
		h.saw(delivery.Claimed{Full: lanes(1, 2)}, nil, time.Now())
		require.True(t, h.offer(lanes(1, 2)))
		require.Zero(t, signals)
		require.Len(t, h.take(), 2)
		h.saw(delivery.Claimed{Full: lanes(3)}, nil, time.Now())
		require.True(t, h.offer(lanes(3)))
		require.Zero(t, signals)
		require.True(t, h.offer(lanes(1)), "forgotten")
		require.Equal(t, 1, signals)
		h.close()
	})
}

func TestHand_AClaimThatFailsWakesWhatItWasHanded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		r.memory.mu.Lock()
		r.memory.onClaim = func() error { return errAway }
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		elapse(t, 10*time.Millisecond)
		require.Equal(t, []delivery.LaneRef{lane.ref()}, woken.all())
		require.False(t, r.Hand([]delivery.LaneRef{lane.ref()}), "the database is away")
	})
}

// What is handed over while the dispatcher stops is either claimed from or woken.
func TestHand_NothingIsLeftBehindByAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		r.memory.mu.Lock()
		r.memory.afterClaim = r.stop // once it has looked
		r.memory.mu.Unlock()
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		synctest.Wait()
		<-r.ended
		r.Hand([]delivery.LaneRef{lane.ref()})
		require.False(t, r.Hand([]delivery.LaneRef{lane.ref()}))
		require.Equal(t, states(delivery.Pending, 1), r.memory.states(), "handed back")
		require.Empty(t, r.handover.lanes)
		require.Empty(t, woken.all(), "it was looked at")
	})
	synctest.Test(t, func(t *testing.T) {
		r, lane, woken := handing(t, 4)
		r.handover.saw(delivery.Claimed{Full: []delivery.LaneRef{lane.ref()}}, nil, time.Now())
		require.True(t, r.Hand([]delivery.LaneRef{lane.ref()})) // it waits for company
		r.stop()
		<-r.ended
		require.Equal(t, []delivery.LaneRef{lane.ref()}, woken.all())
	})
}

package dispatch

import (
	"context"
	"crypto/rand"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// byEndpoint is a Sender whose endpoints answer after a time of their own.
func byEndpoint(takes map[delivery.ID]time.Duration) *sending {
	return &sending{answer: func(ctx context.Context, claim *delivery.Claim) delivery.Outcome {
		d := takes[claim.Endpoint.ID]
		pause(ctx, d)
		return delivery.Outcome{Status: 200, Duration: d}
	}}
}

// However many endpoints hang, those that answer go on as if nothing were.
func TestQuota_HangingEndpointsLeaveHalfOfTheSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		takes := make(map[delivery.ID]time.Duration)
		r := newRig(byEndpoint(takes), func(o *Options) { o.MaxInFlight = 16 })
		for range 10 {
			hanging := r.memory.lane(4, 100)
			hanging.standing = delivery.Slow
			takes[hanging.endpoint.ID] = 4 * time.Second
		}
		quick := r.memory.lane(2, 0)
		takes[quick.endpoint.ID] = 10 * time.Millisecond
		r.start(t)
		for range 20 {
			r.memory.mu.Lock()
			r.memory.addTo(quick, 10)
			r.memory.mu.Unlock()
			r.Signal()
			elapse(t, 100*time.Millisecond)
			require.Zero(t, r.memory.waiting(quick), "an endpoint that answers had to wait for those that don't")
		}
		r.sender.mu.Lock()
		defer r.sender.mu.Unlock()
		require.LessOrEqual(t, r.sender.now, 6+2)
		require.GreaterOrEqual(t, r.sender.now, 6, "slow ones use what is theirs")
	})
}

// Suspects that are due and have no room are no reason to look again and again:
// the end of an attempt signals.
func TestQuota_SuspectsWithoutRoomAreNotAskedForInALoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		takes := make(map[delivery.ID]time.Duration)
		r := newRig(byEndpoint(takes), func(o *Options) { o.MaxInFlight, o.DrainTimeout = 4, time.Hour })
		hanging := r.memory.lane(4, 100)
		hanging.standing = delivery.Slow
		takes[hanging.endpoint.ID] = 30 * time.Second
		r.start(t)
		elapse(t, 29*time.Second)
		require.Len(t, r.sender.sent(), 1)
		require.LessOrEqual(t, len(r.memory.claimTimes()), 2+29, "a poll a second")
		began := time.Now()
		elapse(t, time.Second)
		require.Len(t, r.sender.sent(), 2, "and at once when there is room")
		require.Equal(t, began.Add(time.Second), time.Now())
	})
}

// An endpoint that nothing is known of finds a slot at once, however many others
// hang: while they are as unheard as it is, once they are known, and when trusted
// ones begin to.
func TestQuota_UnheardEndpointsFindSlotsWhileOthersHang(t *testing.T) {
	t.Parallel()
	for _, standing := range []delivery.Standing{delivery.Unheard, delivery.Slow, delivery.Trusted} {
		synctest.Test(t, func(t *testing.T) {
			takes := make(map[delivery.ID]time.Duration)
			r := newRig(byEndpoint(takes), func(o *Options) { o.MaxInFlight, o.DrainTimeout = 16, time.Hour })
			for range 7 {
				hanging := r.memory.lane(2, 100)
				hanging.standing = standing
				takes[hanging.endpoint.ID] = 4 * time.Second
			}
			r.start(t)
			for range 100 {
				elapse(t, 100*time.Millisecond)
				fresh := r.memory.lane(4, 2)
				r.memory.mu.Lock()
				fresh.standing = delivery.Unheard
				r.memory.mu.Unlock()
				r.Signal()
				elapse(t, time.Millisecond)
				require.Zero(t, r.memory.waiting(fresh), "%s endpoints hang, and a new one waits", standing)
			}
		})
	}
}

// Whoever was never heard of has one attempt to show what it is like, and all that
// it may have right after.
func TestQuota_AnUnheardEndpointHasItsWholeLimitAfterItsFirstAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(100*time.Millisecond, 204), nil)
		lane := r.memory.lane(64, 200)
		lane.standing = delivery.Unheard
		r.start(t)
		elapse(t, 99*time.Millisecond)
		require.Len(t, r.sender.sent(), 1)
		elapse(t, time.Millisecond)
		require.Equal(t, 64, r.sender.mostAtOnce())
	})
}

// With few slots, too, everybody is served, and nobody spins.
func TestQuota_FewSlots(t *testing.T) {
	t.Parallel()
	for slots := 1; slots <= 4; slots++ {
		for _, standing := range []delivery.Standing{delivery.Unheard, delivery.Slow, delivery.Trusted} {
			synctest.Test(t, func(t *testing.T) {
				takes := make(map[delivery.ID]time.Duration)
				r := newRig(byEndpoint(takes), func(o *Options) { o.MaxInFlight, o.DrainTimeout = slots, time.Hour })
				for range 3 {
					lane := r.memory.lane(4, 3)
					lane.standing = standing
					takes[lane.endpoint.ID] = 4 * time.Second
					lane = r.memory.lane(4, 3)
					lane.standing = delivery.Unheard
					r.memory.lane(4, 3)
				}
				r.start(t)
				elapse(t, 40*time.Second)
				require.Equal(t, states(delivery.Delivered, 27), r.memory.states(), "%d slots", slots)
				require.LessOrEqual(t, len(r.memory.claimTimes()), 40+2*27)
			})
		}
	}
}

// An endpoint that was trusted and stops answering is not claimed from any more
// once the slow ones' share is used up, though its lane does not say so yet.
func TestQuota_TrustedEndpointThatHangsIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	q := newQuota(4)
	id := delivery.NewID(0, time.Unix(1, 0), zeros{})
	for _, since := range []time.Duration{0, 2 * time.Second, 3 * time.Second} {
		claim := &delivery.Claim{Endpoint: &delivery.Endpoint{ID: id}, Standing: delivery.Trusted}
		q.attempts[claim] = time.Now().Add(-since)
	}
	require.Equal(t, delivery.Room{Suspects: 1, Slow: 0, Hanging: []delivery.ID{id}}, q.room())
}

// New endpoints that hang are slow ones as soon as it shows, but none of them makes
// room for another suspect by it.
func TestQuota_UnheardEndpointsThatHangCountAsSlow(t *testing.T) {
	t.Parallel()
	q := newQuota(16)
	for range 5 {
		claim := &delivery.Claim{Endpoint: &delivery.Endpoint{ID: delivery.NewID(0, time.Now(), rand.Reader)}, Standing: delivery.Unheard}
		q.attempts[claim] = time.Now().Add(-2 * time.Second)
	}
	room := q.room()
	require.Equal(t, []int{3, 1, 5}, []int{room.Suspects, room.Slow, len(room.Hanging)})
}

func TestQuota_SlotsOfSuspects(t *testing.T) {
	t.Parallel()
	for slots, want := range map[int]delivery.Room{
		1: {Suspects: 1, Slow: 1}, 2: {Suspects: 1, Slow: 1}, 3: {Suspects: 1, Slow: 1}, 4: {Suspects: 2, Slow: 1},
		16: {Suspects: 8, Slow: 6}, 64: {Suspects: 32, Slow: 24},
	} {
		require.Equal(t, want, newQuota(slots).room(), "%d slots", slots)
	}
}

// TestQuota_WhateverHangs: of any claims within the room, however long they take,
// those of suspects hold half of the slots at most and those of slow ones their
// part of it; and unheard endpoints always find theirs, but for what they hold.
func TestQuota_WhateverHangs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 70).Draw(t, "slots")
		q := newQuota(slots)
		suspects, slow := max(1, slots/2), newQuota(slots).slow
		counts := make(map[delivery.Standing]int)
		var claims []*delivery.Claim
		t.Repeat(map[string]func(*rapid.T){
			"claim": func(t *rapid.T) {
				standing := rapid.SampledFrom([]delivery.Standing{delivery.Unheard, delivery.Slow, delivery.Trusted}).Draw(t, "standing")
				if len(claims) == slots || q.room().For(standing, 1) == 0 {
					t.Skip()
				}
				id := delivery.NewID(0, time.Now(), rand.Reader)
				claim := &delivery.Claim{Endpoint: &delivery.Endpoint{ID: id}, Standing: standing}
				q.attempts[claim] = time.Now().Add(-rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "since"))
				claims = append(claims, claim)
				counts[standing]++
			},
			"end": func(t *rapid.T) {
				if len(claims) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(claims)-1).Draw(t, "which")
				q.end(claims[i])
				counts[claims[i].Standing]--
				claims = slices.Delete(claims, i, i+1)
			},
			"": func(t *rapid.T) {
				room := q.room()
				require.LessOrEqual(t, counts[delivery.Unheard]+counts[delivery.Slow], suspects)
				require.LessOrEqual(t, counts[delivery.Slow], slow)
				require.LessOrEqual(t, room.Slow, room.Suspects)
				require.GreaterOrEqual(t, room.Suspects, suspects-slow-counts[delivery.Unheard])
			},
		})
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

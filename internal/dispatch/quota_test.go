package dispatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
			hanging.suspect = true
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
			r.memory.mu.Lock()
			require.Empty(t, quick.pending, "an endpoint that answers had to wait for those that don't")
			r.memory.mu.Unlock()
		}
		r.sender.mu.Lock()
		defer r.sender.mu.Unlock()
		require.LessOrEqual(t, r.sender.now, 16/2+2)
		require.GreaterOrEqual(t, r.sender.now, 16/2, "suspects use what is theirs")
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
		hanging.suspect = true
		takes[hanging.endpoint.ID] = 30 * time.Second
		r.start(t)
		elapse(t, 29*time.Second)
		require.Len(t, r.sender.sent(), 2)
		require.LessOrEqual(t, len(r.memory.claimTimes()), 2+29, "a poll a second")
		began := time.Now()
		elapse(t, time.Second)
		require.Len(t, r.sender.sent(), 4, "and at once when there is room")
		require.Equal(t, began.Add(time.Second), time.Now())
	})
}

func TestQuota_WhatTheFirstClaimBroughtIsSentWhenTheSecondFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), func(o *Options) { o.MaxInFlight = 4 })
		r.memory.lane(4, 8)
		r.options.Storage = noTrusted{r.memory}
		r.start(t)
		elapse(t, 10*time.Second)
		require.Equal(t, states(delivery.Delivered, 8), r.memory.states())
		require.Len(t, r.memory.outcomes(), 8, "nothing went round and round")
		require.Less(t, len(r.memory.claimTimes()), 20)
	})
}

// noTrusted is a Storage whose second kind of claim fails.
type noTrusted struct{ *memory }

func (noTrusted) ClaimTrusted(context.Context, int, []delivery.ID) (delivery.Claimed, error) {
	return delivery.Claimed{}, errAway
}

// An endpoint that was trusted and stops answering is not claimed from any more
// once the suspects' share is used up, though its lane does not say so yet.
func TestQuota_TrustedEndpointThatHangsIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	q := newQuota(4)
	id := delivery.NewID(0, time.Unix(1, 0), zeros{})
	for _, since := range []time.Duration{0, 2 * time.Second, 3 * time.Second} {
		claim := &delivery.Claim{Endpoint: &delivery.Endpoint{ID: id}}
		q.attempts[claim] = time.Now().Add(-since)
	}
	slots, hanging := q.left()
	require.Zero(t, slots)
	require.Equal(t, []delivery.ID{id}, hanging)
}

func TestQuota_OneSlotServesSuspectsToo(t *testing.T) {
	t.Parallel()
	slots, _ := newQuota(1).left()
	require.Equal(t, 1, slots)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

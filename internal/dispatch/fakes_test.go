package dispatch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// heldLane is a Storage with one due lane that is never to be had. A dispatcher
// that spins on it would do so without end, so it is stopped.
type heldLane struct {
	nextDue time.Duration
	claims  atomic.Int32
	giveUp  func()
}

func (h *heldLane) ClaimHanded(context.Context, int, delivery.Room, []delivery.LaneRef) (delivery.Claimed, error) {
	if h.claims.Add(1) == 10_000 {
		h.giveUp()
	}
	return delivery.Claimed{NextDue: h.nextDue}, nil
}

func (h *heldLane) CompleteAndClaim(context.Context, []policy.Completion, policy.Onward) (policy.Completed, error) {
	return policy.Completed{}, nil
}

// brokenOnce commits its first claim and then cannot read what it is to return.
type brokenOnce struct {
	*memory
	broken bool
}

func (b *brokenOnce) ClaimHanded(ctx context.Context, n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error) {
	claimed, err := b.memory.ClaimHanded(ctx, n, room, handed)
	if !b.broken {
		b.broken = true
		return claimed, errAway
	}
	return claimed, err
}

package store

import (
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// nextClaim is what a completion knows of a lane for claiming from it.
type nextClaim struct {
	isPlain      bool // it was full, and has neither a weight nor a rate
	fifo         bool
	leaseSeconds int32
	version      int64 // of the endpoint's configuration
}

// claimOnward chooses the lanes from which this transaction itself claims what
// takes the place of what ended (docs/decisions/0016): those that were full, which
// would stand in line else, for a claim that waits for this commit and for their
// locks. Whatever needs a claim's judgement is left to a claim.
func (c *completing) claimOnward() {
	if c.onward.Slots == 0 {
		return
	}
	next := &claiming{
		store: c.store, tx: c.tx, n: c.onward.Slots, wasFull: true,
		room:  delivery.Room{Suspects: c.onward.Slots, Slow: c.onward.Slots},
		token: delivery.NewID(0, c.now, c.store.random),
	}
	for _, lane := range c.sortedLanes() {
		if len(next.lanes) == next.n || !lane.goesOn(c.now) || slices.Contains(c.onward.Except, lane.ref.EndpointID) {
			continue
		}
		endpoint := c.store.configs.get(lane.ref.EndpointID, lane.next.version)
		if endpoint != nil && !endpoint.AtMostOnce {
			lane.isOnward = true
			next.lanes = append(next.lanes, lane.claim(c, endpoint))
		}
	}
	if len(next.lanes) > 0 {
		c.next = next
	}
}

// goesOn says whether the lane was full and is as well as can be.
func (l *completedLane) goesOn(now time.Time) bool {
	return l.freed && l.next.isPlain && l.status == delivery.Active && l.standing == delivery.Trusted &&
		l.state.Phase == circuit.Closed && !l.state.PausedUntil.After(now)
}

// claim is the lane as claims know it. It stood in no line: its place is the end.
func (l *completedLane) claim(c *completing, endpoint *delivery.Endpoint) claimLane {
	limit := int32(l.claimLimit)
	if l.next.fifo {
		limit = min(limit, 1)
	}
	return claimLane{
		LaneRef: l.ref, limit: limit, allowance: limit, leaseSeconds: l.next.leaseSeconds, version: l.next.version,
		standing: l.standing, fifo: l.next.fifo, weight: 1, turnLeft: 1, since: c.now, endpoint: endpoint,
	}
}

// lanesOnward are those that this transaction may have parked, and nobody has
// looked at again.
func (c *completing) lanesOnward() []delivery.LaneRef {
	if c.next == nil {
		return nil
	}
	return c.next.lanesLookedAt()
}

package dispatch

import (
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// quota keeps half of the slots for endpoints that answer in good time
// (docs/decisions/0005). The others, the suspects, may hold the other half, and of
// it the slow ones at most three quarters: an endpoint that was never heard of
// finds a slot however many hang. It knows what this process has in flight.
type quota struct {
	suspects, slow int // slots

	mu       sync.Mutex // owns the map
	attempts map[*delivery.Claim]time.Time
}

func newQuota(maxInFlight int) *quota {
	suspects := max(1, maxInFlight/2)
	return &quota{
		suspects: suspects, slow: max(1, suspects-max(1, suspects/4)),
		attempts: make(map[*delivery.Claim]time.Time),
	}
}

func (q *quota) begin(claim *delivery.Claim) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.attempts[claim] = time.Now()
}

func (q *quota) end(claim *delivery.Claim) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.attempts, claim)
}

// room is what the next claim may take of suspects. An attempt that should have
// been answered by now counts as a slow endpoint's, whatever its endpoint was.
//
// What was claimed of suspects is never more than their half. Trusted endpoints
// that begin to hang may hold more slots than slow ones are allowed; that is
// nothing that unheard ones should wait for.
func (q *quota) room() delivery.Room {
	q.mu.Lock()
	defer q.mu.Unlock()
	var unheard, slow, unheardLate int
	var hanging []delivery.ID
	seen := make(map[delivery.ID]bool)
	for claim, since := range q.attempts {
		isLate := time.Since(since) > delivery.SlowAnswer
		switch {
		case claim.Standing == delivery.Unheard:
			unheard++
			if isLate {
				unheardLate++
			}
		case claim.Standing == delivery.Slow, isLate:
			slow++
		}
		if id := claim.Endpoint.ID; isLate && !seen[id] {
			seen[id] = true
			hanging = append(hanging, id)
		}
	}
	suspects := max(0, q.suspects-unheard-min(slow, q.slow))
	return delivery.Room{Suspects: suspects, Slow: max(0, min(suspects, q.slow-slow-unheardLate)), Hanging: hanging}
}

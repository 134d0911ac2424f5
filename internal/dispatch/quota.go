package dispatch

import (
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// quota keeps half of the slots for endpoints that answer in good time
// (docs/decisions/0005): those that don't may hold the other half. It knows what
// this process has in flight.
type quota struct {
	slots int // that suspects may hold

	mu       sync.Mutex // owns the map
	attempts map[*delivery.Claim]time.Time
}

func newQuota(maxInFlight int) *quota {
	return &quota{slots: max(1, maxInFlight/2), attempts: make(map[*delivery.Claim]time.Time)}
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

// left is how many slots suspects may still take, and which endpoints have an
// attempt under way that should have been answered by now.
func (q *quota) left() (slots int, hanging []delivery.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	slots = q.slots
	seen := make(map[delivery.ID]bool)
	for claim, since := range q.attempts {
		isLate := time.Since(since) > delivery.SlowAnswer
		if claim.Suspect || isLate {
			slots--
		}
		if id := claim.Endpoint.ID; isLate && !seen[id] {
			seen[id] = true
			hanging = append(hanging, id)
		}
	}
	return max(0, slots), hanging
}

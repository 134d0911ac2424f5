package redelivery

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// How fast a recovery fills a queue.
//
// The lane's own limits pace the sending; this bounds what waits in front of
// them. Claims go by the instant at which a delivery is due, and recovered ones
// are due when they are queued: never before, so that they overtake nothing that
// waits already, and not later, or an idle lane would stay idle. So an event that
// is published afterwards waits behind what was queued before it, and that is
// kept as short as the lane sends in freshWait. Nothing else needs to know which
// deliveries are recovered ones.
//
// What waits for a retry delays nobody, but counts towards mostPending: a
// recovery for an endpoint that fails stands still instead of moving its whole
// history into the queue.
const (
	freshWait    = 5 * time.Second
	mostPending  = 1000 // recovered deliveries of a lane, those that wait for a retry included
	recoverBatch = 500  // deliveries in one transaction

	// unknownAnswer stands for an endpoint that nothing was sent to lately.
	unknownAnswer = 200 * time.Millisecond
)

// laneLoad is how a lane is doing, as seen without a lock.
type laneLoad struct {
	status       delivery.EndpointStatus
	claimLimit   int           // deliveries in flight at once, at the moment
	rateLimit    float64       // attempts a second; 0: no limit
	answer       time.Duration // how long an attempt takes; 0: not known
	pending, due int           // recovered deliveries
}

// room is how many deliveries may be queued now. Half of what is allowed must be
// free: many small batches cost more than a few.
func (l laneLoad) room() int {
	allowed := l.allowed()
	free := min(allowed-l.due, mostPending-l.pending)
	if 2*free < allowed {
		return 0
	}
	return min(free, recoverBatch)
}

// allowed is what the lane sends in freshWait, but enough to fill every slot.
func (l laneLoad) allowed() int {
	answer := l.answer
	if answer <= 0 {
		answer = unknownAnswer
	}
	slots := max(l.claimLimit, 1)
	rate := float64(slots) / answer.Seconds()
	if l.rateLimit > 0 {
		rate = min(rate, l.rateLimit)
	}
	inTime := min(rate*freshWait.Seconds(), mostPending)
	return min(max(int(inTime), slots), mostPending)
}

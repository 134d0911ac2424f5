package dispatch

import (
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// handover passes lanes with new work straight to the claiming goroutine, while that
// has slots to spare: waking them in the database first would cost two writes of
// each, for nobody else to see. Where slots are short, it takes nothing, and lanes
// stand in line like everybody else's.
//
// A lane that was full when a claim last saw it, is hardly worth a claim of its own:
// it waits for the next that is made for another reason, but not for long, because
// another process may have ended an attempt of it. So an endpoint that hangs, or
// takes all it may, costs the others no claims.
type handover struct {
	mu     sync.Mutex // owns everything
	most   int
	signal func() // has a claim made; never blocks
	open   bool
	lanes  map[delivery.LaneRef]offered
	full   map[delivery.LaneRef]struct{} // as a claim last saw them: at most some twice most
	late   *time.Timer                   // has full lanes looked at; nil: none waits
}

// offered is when a lane got work that no claim has looked at: the first and the last.
type offered struct{ first, last time.Time }

// patience is how long a full lane waits at most for company.
const patience = 25 * time.Millisecond

func newHandover(most int, signal func()) *handover {
	return &handover{
		most: most, signal: signal,
		lanes: make(map[delivery.LaneRef]offered), full: make(map[delivery.LaneRef]struct{}),
	}
}

// offer says whether it took all of the lanes; else it took none.
func (h *handover) offer(lanes []delivery.LaneRef) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open || len(h.lanes)+len(lanes) > h.most {
		return false
	}
	isUrgent, now := false, time.Now()
	for _, lane := range lanes {
		work, isThere := h.lanes[lane]
		if !isThere {
			work.first = now
		}
		work.last = now
		h.lanes[lane] = work
		_, isFull := h.full[lane]
		isUrgent = isUrgent || !isFull
	}
	if isUrgent {
		h.signal()
	} else if h.late == nil {
		h.late = time.AfterFunc(patience, h.askForLate)
	}
	return true
}

// askForLate has a claim made if a lane has waited for patience, and else asks again.
func (h *handover) askForLate() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.lanes) == 0 {
		h.late = nil
		return
	}
	left := patience
	for _, work := range h.lanes {
		left = min(left, patience-time.Since(work.first))
	}
	if left > 0 {
		h.late = time.AfterFunc(left, h.askForLate)
	} else {
		h.signal()
	}
}

// saw notes which lanes a claim found or left full, of those that it looked at and those
// that were handed to it. What full lanes got before the claim began needs no other: whoever
// ends an attempt of one sees it.
func (h *handover) saw(claimed delivery.Claimed, handed []delivery.LaneRef, began time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, looked := range [][]delivery.LaneRef{claimed.Lanes, handed} {
		for _, lane := range looked {
			delete(h.full, lane)
		}
	}
	if len(h.full)+len(claimed.Full) > h.most {
		clear(h.full) // they are asked about once more
	}
	for _, lane := range claimed.Full {
		h.full[lane] = struct{}{}
		switch work, waits := h.lanes[lane]; {
		case waits && work.last.Before(began):
			delete(h.lanes, lane)
		case waits && work.first.Before(began):
			h.lanes[lane] = offered{first: began, last: work.last}
		}
	}
}

// ofFullLanes counts completions of lanes that are full as far as is known; none while
// it is closed.
func (h *handover) ofFullLanes(batch []policy.Completion) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open {
		return 0
	}
	for _, done := range batch {
		id := done.Claim.Endpoint.ID
		if _, isFull := h.full[delivery.LaneRef{Shard: id.Shard(), EndpointID: id}]; isFull {
			n++
		}
	}
	return n
}

func (h *handover) hasLanes() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.lanes) > 0
}

// take empties it.
func (h *handover) take() []delivery.LaneRef {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.empty()
}

func (h *handover) reopen() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = true
}

// close takes nothing more until it is open again, and returns what it had.
func (h *handover) close() []delivery.LaneRef {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = false
	return h.empty()
}

func (h *handover) empty() []delivery.LaneRef {
	if h.late != nil {
		h.late.Stop()
		h.late = nil
	}
	if len(h.lanes) == 0 {
		return nil
	}
	lanes := make([]delivery.LaneRef, 0, len(h.lanes))
	for lane := range h.lanes {
		lanes = append(lanes, lane)
	}
	clear(h.lanes)
	return lanes
}

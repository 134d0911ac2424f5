package dispatch

import (
	"sync"

	"github.com/malotehq/malote/internal/delivery"
)

// handover passes lanes with new work straight to the claiming goroutine, while that
// has slots to spare: waking them in the database first would cost two writes of
// each, for nobody else to see. Where slots are short, it takes nothing, and lanes
// stand in line like everybody else's.
type handover struct {
	mu    sync.Mutex // owns everything
	most  int
	open  bool
	lanes map[delivery.LaneRef]struct{}
}

func newHandover(most int) *handover {
	return &handover{most: most, lanes: make(map[delivery.LaneRef]struct{})}
}

// offer says whether it took all of the lanes; else it took none.
func (h *handover) offer(lanes []delivery.LaneRef) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open || len(h.lanes)+len(lanes) > h.most {
		return false
	}
	for _, lane := range lanes {
		h.lanes[lane] = struct{}{}
	}
	return true
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

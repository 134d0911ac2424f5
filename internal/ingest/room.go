package ingest

import (
	"sync"
	"sync/atomic"
	"time"
)

// perSource is the share of a room that one source may have, so that those who
// know the address of one do not shut the door for all.
const perSource = 4

// prompt is how long a body may take to arrive in a place of those that are
// verified and committed. Whoever takes longer waits elsewhere. Nearly every
// provider's whole body comes with its header.
const prompt = 100 * time.Millisecond

// room bounds what is under way in this process, for all or for one source. What
// finds none is told so at once: waiting would only move the queue into memory.
//
// Anybody can begin a body and not go on, without any secret. So those who are
// waited for have places apart, and no more than half of the bytes.
type room struct {
	places, bytes        counter
	waiting, waitedBytes counter // waitedBytes are among bytes
}

func newRoom(places int, bytes int64) *room {
	return &room{
		places: counter{limit: int64(places)}, bytes: counter{limit: bytes},
		waiting: counter{limit: int64(places)}, waitedBytes: counter{limit: bytes / 2},
	}
}

// newShare is the room of one source: a share, in which the largest body fits,
// packed, unpacked, and while it is moved into a larger slice.
func newShare(places int, bytes int64, maxBody int) *room {
	return newRoom(max(1, places/perSource), min(bytes, max(bytes/perSource, 4*int64(maxBody))))
}

// counter counts up to a limit.
type counter struct {
	taken atomic.Int64
	limit int64
}

func (c *counter) take(n int64) bool {
	if c.taken.Add(n) <= c.limit {
		return true
	}
	c.taken.Add(-n)
	return false
}

func (c *counter) give(n int64) { c.taken.Add(-n) }

// holding is what one request has of the door's room, and of its source's.
type holding struct {
	mu    sync.Mutex // the clock that moves the request is another goroutine
	rooms []*room
	held  int64 // bytes
	waits bool  // in a place of those whose bodies are waited for
}

// enter takes a place in a room.
func (h *holding) enter(r *room) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !r.places.take(1) {
		return false
	}
	h.rooms = append(h.rooms, r)
	return true
}

func (h *holding) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rooms {
		r.bytes.give(h.held)
		if h.waits {
			r.waiting.give(1)
			r.waitedBytes.give(h.held)
		} else {
			r.places.give(1)
		}
	}
	h.rooms, h.held, h.waits = nil, 0, false
}

// takeBytes takes them in every room, or in none.
func (h *holding) takeBytes(n int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	ok := h.inEach(func(r *room) bool {
		return r.bytes.take(n) && (!h.waits || r.waitedBytes.take(n) || undo(r.bytes.give, n))
	}, func(r *room) { h.giveIn(r, n) })
	if ok {
		h.held += n
	}
	return ok
}

func (h *holding) giveBytes(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rooms {
		h.giveIn(r, n)
	}
	h.held -= n
}

func (h *holding) giveIn(r *room, n int64) {
	r.bytes.give(n)
	if h.waits {
		r.waitedBytes.give(n)
	}
}

// wait moves the request to where bodies are waited for; false: that is full. The
// caller holds mu.
func (h *holding) wait() bool {
	h.waits = h.inEach(func(r *room) bool {
		return r.waiting.take(1) && (r.waitedBytes.take(h.held) || undo(r.waiting.give, 1))
	}, func(r *room) {
		r.waiting.give(1)
		r.waitedBytes.give(h.held)
	})
	if h.waits {
		for _, r := range h.rooms {
			r.places.give(1)
		}
	}
	return h.waits
}

// goOn moves a request that waited back to those that are verified and committed;
// false: they are too many.
func (h *holding) goOn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.waits {
		return true
	}
	if !h.inEach(func(r *room) bool { return r.places.take(1) }, func(r *room) { r.places.give(1) }) {
		return false
	}
	for _, r := range h.rooms {
		r.waiting.give(1)
		r.waitedBytes.give(h.held)
	}
	h.waits = false
	return true
}

// inEach takes something in every room, or in none.
func (h *holding) inEach(take func(*room) bool, give func(*room)) bool {
	for i, r := range h.rooms {
		if !take(r) {
			for _, before := range h.rooms[:i] {
				give(before)
			}
			return false
		}
	}
	return true
}

// undo gives back what was taken first, since what goes with it could not be had.
func undo(give func(int64), n int64) bool {
	give(n)
	return false
}

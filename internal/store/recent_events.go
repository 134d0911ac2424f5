package store

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Bounds of what is remembered of publishes.
const (
	recentBytes      = 2 << 20
	recentEventBytes = 64 << 10 // a larger event is read when it is sent
)

// recentEvents keeps what this process published a moment ago, so that a claim of
// it need not read it back. What is kept is what was committed, and events never
// change; so it is never wrong, only short. The oldest make room.
type recentEvents struct {
	mu      sync.Mutex
	room    int // bytes left
	entries map[delivery.ID]recentEvent
	order   []delivery.ID // oldest first, from oldest on
	oldest  int
}

type recentEvent struct {
	event  delivery.Event // without body
	bodies [][]byte       // by rendering
	bytes  int
}

func newRecentEvents(bytes int) *recentEvents {
	return &recentEvents{room: bytes, entries: make(map[delivery.ID]recentEvent)}
}

// remember keeps the events of a committed round that some delivery waits for.
func (s *Store) remember(drafts []*delivery.Draft, round *publishRound) {
	for _, i := range round.writable() {
		if plan := round.plans[i]; slices.ContainsFunc(plan.Deliveries, isPending) {
			s.recent.put(drafts[i].Event, plan.Bodies)
		}
	}
}

func isPending(planned delivery.Planned) bool { return planned.State == delivery.Pending }

func (r *recentEvents) put(event delivery.Event, bodies [][]byte) {
	// As they are read from the database, which keeps microseconds.
	event.OccurredAt = event.OccurredAt.Truncate(time.Microsecond)
	event.AcceptedAt = event.AcceptedAt.Truncate(time.Microsecond)
	event.Headers = storedHeaders(event.Headers)
	entry := recentEvent{bytes: recentOverhead + len(event.Type) + len(event.ContentType)}
	for _, header := range event.Headers {
		entry.bytes += recentOverhead/4 + len(header.Name) + len(header.Value)
	}
	for _, body := range bodies {
		entry.bytes += len(body)
	}
	// What only a publish needs is not kept.
	event.Body, event.IdempotencyKey, event.EntityVersion, event.ExternalID = nil, "", "", ""
	entry.event = event
	if entry.bytes > recentEventBytes {
		return
	}
	for _, body := range bodies {
		entry.bodies = append(entry.bodies, bytes.Clone(body)) // it may be a piece of a large request
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.entries[event.ID]; known {
		return
	}
	r.entries[event.ID] = entry
	r.order = append(r.order, event.ID)
	r.room -= entry.bytes
	r.shrink()
}

// recentOverhead is about what an entry takes besides its texts.
const recentOverhead = 400

// shrink forgets the oldest until all is within bounds.
func (r *recentEvents) shrink() {
	for r.room < 0 {
		id := r.order[r.oldest]
		r.oldest++
		r.room += r.entries[id].bytes
		delete(r.entries, id)
	}
	if r.oldest > len(r.order)/2 {
		r.order = append(r.order[:0], r.order[r.oldest:]...)
		r.oldest = 0
	}
}

// get returns an event as a claim's statement would read it.
func (r *recentEvents) get(id delivery.ID, rendering int16) (delivery.Event, bool) {
	r.mu.Lock()
	entry, ok := r.entries[id]
	r.mu.Unlock()
	if !ok || int(rendering) >= len(entry.bodies) {
		return delivery.Event{}, false
	}
	event := entry.event
	event.Body = entry.bodies[rendering]
	return event, true
}

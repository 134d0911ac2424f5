package demo

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// entry is a published event as its publisher remembers it.
type entry struct {
	id       string
	key      string
	tenant   string
	kind     string // event type
	data     digest
	raw      bool
	sentAt   time.Time // just before the first request
	promised int       // records of deliveries that the answer spoke of, skipped ones included
}

// ledger is what the publishers were told. Everything is accounted for against it.
type ledger struct {
	mu       sync.Mutex
	entries  map[string]entry // by event id
	requests int              // answered ones
	batches  int
	repeats  int // answers with "duplicate": true
	bytes    int64
	took     time.Duration // all the publishing
	faults   []Fault
	watched  func(events int) // told of every event; nil: nobody watches
}

func newLedger() *ledger { return &ledger{entries: make(map[string]entry)} }

// note takes down the answer to an event's publish.
func (l *ledger) note(e *event, sentAt time.Time, answer receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer.Duplicate {
		l.repeats++
	}
	next := entry{
		id: answer.ID, key: e.key, tenant: e.tenant, kind: e.Type, data: sha256.Sum256(e.Data), raw: e.raw,
		sentAt: sentAt, promised: answer.Deliveries + answer.Skipped,
	}
	known, repeated := l.entries[answer.ID]
	switch {
	case !repeated:
		l.bytes += int64(len(e.Data))
	case known.key != e.key:
		l.faults = append(l.faults, Fault{Kind: TwoEvents, Event: answer.ID,
			Detail: fmt.Sprintf("events with the keys %s and %s got the same id", known.key, e.key)})
	default:
		if known.sentAt.Before(sentAt) {
			next.sentAt = known.sentAt
		}
		next.promised = max(known.promised, next.promised) // a repeat's answer may speak of none
	}
	l.entries[answer.ID] = next
	if l.watched != nil {
		l.watched(len(l.entries))
	}
}

// watch has tell called now and whenever an event was published. It must be
// quick.
func (l *ledger) watch(tell func(events int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched = tell
	tell(len(l.entries))
}

// noteRequest counts an answered request.
func (l *ledger) noteRequest(p *parcel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if len(p.events) > 1 {
		l.batches++
	}
}

func (l *ledger) finish(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = took
}

func (l *ledger) fault(kind FaultKind, format string, arguments ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, Fault{Kind: kind, Detail: fmt.Sprintf(format, arguments...)})
}

func (l *ledger) allFaults() []Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.faults)
}

// snapshot is a copy of all entries.
func (l *ledger) snapshot() map[string]entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.entries)
}

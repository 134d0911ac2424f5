package torture

import (
	"crypto/sha256"
	"time"
)

// Digest identifies a body by its bytes.
type Digest [sha256.Size]byte

// Certainty is what a publisher knows of an event in the end.
type Certainty string

// Unknown is what nobody may count on, and what may have come in all the same.
const (
	Accepted Certainty = "accepted" // acknowledged, or its transaction is known to be committed
	Unknown  Certainty = "unknown"
	Void     Certainty = "void" // its transaction is known to be rolled back
)

// Intent is one event that somebody wanted to publish, however often it was
// tried. Every intent has a body of its own.
type Intent struct {
	Key       string
	Way       string // of publishing, for the report
	Type      string
	Digest    Digest
	Certainty Certainty
	EventIDs  []string // as answered, repetitions included
	Order     int      // its place among those that must stay in order; 0: none
	Entity    string   // whose state it is; "": it is a fact, and never replaced
}

// Endpoint is a receiver as it was registered before anything was published.
type Endpoint struct {
	ID, Name   string
	Types      []string // none: all
	Limit      int      // requests at once
	FIFO       bool
	AtMostOnce bool
}

func (e *Endpoint) takes(kind string) bool {
	for _, t := range e.Types {
		if t == kind {
			return true
		}
	}
	return len(e.Types) == 0
}

// Request is one that a receiver saw. Times are since the beginning of the run.
type Request struct {
	Endpoint   string // its id
	EventID    string // webhook-id
	Attempt    int
	Start, End time.Duration // End: just before the answer, or when the connection was seen to be gone
	Whole      bool          // the body came to its end
	Digest     Digest
	Problem    string // why the signature does not hold; "": it does
	Accepted   bool   // it was answered with a 2xx, as far as the receiver knows
}

// Event is one as it is recorded.
type Event struct {
	ID, Type string
	Digest   Digest
}

// Delivery is one as it is recorded.
type Delivery struct {
	ID, EventID  string
	EndpointID   string // "": the event matched none
	State        string
	Reason       string
	AttemptCount int
}

// Open says whether there is still something to do.
func (d *Delivery) Open() bool { return d.State == "pending" || d.State == "sending" }

// AttemptRecord is one attempt as it is recorded.
type AttemptRecord struct {
	DeliveryID string
	Number     int
	Status     int // 0: no answer was read
	Code       string
}

// Span is from one instant to another.
type Span struct{ From, To time.Duration }

// Journal is all that is known after a run.
type Journal struct {
	Deadline time.Duration // of an attempt
	Lease    time.Duration // of a claim
	// Resumes are the instants at which processes went on that had been stopped for
	// longer than a lease. What such a process had already begun to write can reach
	// a receiver then, and no sender in the world can take it back.
	Resumes []time.Duration
	// Crashes are when PostgreSQL may have crashed, and with it lost the claims of
	// its last moments, which are made again when it is back: an at-least-once claim
	// need not be on disk. What was being sent under them, nobody counts any more.
	Crashes []Span

	Endpoints  []Endpoint
	Intents    []Intent
	Requests   []Request
	Events     []Event
	Deliveries []Delivery
	Attempts   []AttemptRecord

	// Stranded counts lanes that the sweep had to wake while nothing was disturbed.
	Stranded int
	// Refused counts rows of the outbox that were turned away; all were sound.
	Refused int
}

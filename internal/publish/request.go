package publish

import (
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Request is one event as a publisher describes it. Exactly one of Data and
// Body is set.
type Request struct {
	Tenant string
	Type   string

	Data        []byte // a JSON value, kept byte for byte inside the envelope
	Body        []byte // the whole body, in the publisher's own bytes
	ContentType string // of Body; default application/json

	// Source and Headers are of an event that a provider's webhook brought. Its
	// IdempotencyKey is unique within the source, and a repeat is one whatever else
	// it says (G01): providers send the same event in other words.
	Source  delivery.ID
	Headers []delivery.Header

	IdempotencyKey string
	CoalesceKey    string
	EntityVersion  string
	ExternalID     string
	OccurredAt     time.Time     // default: WrittenAt, or else when it is accepted
	WrittenAt      time.Time     // of an event that waited in an outbox; a repeat may have another
	EndpointIDs    []delivery.ID // nil: all that subscribe
	TraceParent    string        // of the trace that it belongs to; a repeat may have another
}

// Result is what a publisher is told, once it is committed.
type Result struct {
	ID         delivery.ID
	Duplicate  bool
	Deliveries int
	Skipped    int
}

// Field names a part of a Request in errors, in the spelling of the API.
type Field string

// InvalidError says which part of which request cannot be accepted and what to
// do about it. Nothing of the batch was written.
type InvalidError struct {
	Index  int
	Field  Field
	Reason string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("event %d: %s %s", e.Index, e.Field, e.Reason)
}

// TooLargeError says that a body is over the configured limit.
type TooLargeError struct {
	Index       int
	Size, Limit int // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("event %d: its body has %d bytes, the limit is %d", e.Index, e.Size, e.Limit)
}

// RefusedError says that the database's state forbids a request: an unknown
// tenant or endpoint, a reused key. It wraps the delivery.Err… that says which.
type RefusedError struct {
	Index int
	Err   error
}

func (e *RefusedError) Error() string { return fmt.Sprintf("event %d: %v", e.Index, e.Err) }
func (e *RefusedError) Unwrap() error { return e.Err }

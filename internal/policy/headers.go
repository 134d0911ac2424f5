package policy

import "github.com/malotehq/malote/internal/delivery"

// KeySource is where the value of the idempotency key's header comes from.
type KeySource string

// The sources. Each gives the same key on every attempt and resend of an event.
const (
	KeyFromEventID KeySource = "event_id" // the id as people see it (G03)
	KeyAsUUID4     KeySource = "uuid4"    // one version 4 UUID per event (A05)
)

// Headers names the headers that carry Malote's values; "" is not sent. What
// the values are is fixed by what each name is for.
type Headers struct {
	ID             string // the event's id, the same on every attempt (S04, F10, D12)
	Timestamp      string // Unix seconds of this attempt (S04, F10)
	Signature      string // see Signature.Scheme
	Attempt        string // 1… over the delivery's life (S07, G03)
	Trigger        string // why the attempt is made (S07)
	EventType      string // the event's type
	Trace          string // W3C traceparent of the attempt, or of the event where attempts are not traced
	IdempotencyKey string // see IdempotencyKeyFrom (A05, G03)

	IdempotencyKeyFrom KeySource

	Extra []Header // sent as they are, in this order
}

// Header is one constant header.
type Header struct{ Name, Value string }

// IdempotencyValue is the value of the idempotency key's header for an event.
func (h Headers) IdempotencyValue(event *delivery.Event) string {
	if h.IdempotencyKeyFrom == KeyAsUUID4 {
		return uuid4(event.ID)
	}
	return event.ID.Format(delivery.EventPrefix)
}

package history

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// PublishMargin is how long an event may take from getting its id to being
// visible: longer than the longest publish transaction (10 s a statement and
// 10 s between statements, see store.Open) and the skew between clocks that we
// bear with.
const PublishMargin = time.Minute

// EventFilter says which events to list, oldest first. Tenant is required.
type EventFilter struct {
	Tenant string
	Type   string    // exact; "": all
	Since  time.Time // accepted then or later; zero: from the first that is kept
	Until  time.Time // accepted before; zero: no bound
	After  delivery.ID
	Limit  int // at most MaxLimit; 0: DefaultLimit
}

// EventPage is one page of events, without their bodies.
type EventPage struct {
	Events []delivery.Event

	// Next is the filter's After for the following page; zero: there is none
	// now. A page with a Next may be short, even empty: events that the filter
	// leaves out are looked through for a bounded time.
	Next delivery.ID

	// CompleteUntil: every matching event accepted before that instant is in
	// this page or the ones before it (D15).
	CompleteUntil time.Time
}

// Event gives an event without its body; ErrNotFound if there is none.
func (r *Reader) Event(ctx context.Context, id delivery.ID) (*delivery.Event, error) {
	return nil, errors.ErrUnsupported
}

// EventBody gives the exact bytes that were accepted for the event, and their
// content type; ErrNotFound if there is no such event.
func (r *Reader) EventBody(ctx context.Context, id delivery.ID) (body []byte, contentType string, err error) {
	return nil, "", errors.ErrUnsupported
}

// Events lists a tenant's events by ascending id (A10, D15).
func (r *Reader) Events(ctx context.Context, filter EventFilter) (EventPage, error) {
	return EventPage{}, errors.ErrUnsupported
}

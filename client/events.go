package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// Event is an event as Malote keeps it. Its body comes with [Client.EventBody].
type Event struct {
	ID             string        `json:"id"`
	Tenant         string        `json:"tenant"`
	Type           string        `json:"type"`
	ContentType    string        `json:"content_type"` // of its body, as it is delivered
	IdempotencyKey string        `json:"idempotency_key"`
	CoalesceKey    string        `json:"coalesce_key"`
	EntityVersion  string        `json:"entity_version"`
	ExternalID     string        `json:"external_id"`
	SourceID       string        `json:"source_id"`   // by which source it came in; "": it was published
	Headers        []EventHeader `json:"headers"`     // what of a provider's headers is passed on with it, in their order
	OccurredAt     time.Time     `json:"occurred_at"` // by the publisher's word
	AcceptedAt     time.Time     `json:"accepted_at"` // when Malote took it in
}

// EventHeader is a header that came with a provider's webhook.
type EventHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// EventFilter says which events to list, oldest first.
type EventFilter struct {
	Tenant string    // required with an admin key; others have their own
	Type   string    // only this type; "": all
	Since  time.Time // accepted then or later; zero: from the first that is kept
	Until  time.Time // accepted before; zero: no bound
	Paging
}

func (f EventFilter) query() url.Values {
	query := f.into(url.Values{})
	set(query, "tenant", f.Tenant)
	set(query, "type", f.Type)
	setInstant(query, "since", f.Since)
	setInstant(query, "until", f.Until)
	return query
}

// EventPage is one page of events.
type EventPage struct {
	Page[Event]

	// CompleteUntil: every matching event accepted before this instant is on this
	// page or on one before it. Events become visible in another order than they
	// were accepted in, so the last event that was seen is no place to go on from;
	// this is.
	CompleteUntil time.Time `json:"complete_until"`
}

const eventsPath = "/v1/events"

// Event reads one event.
func (c *Client) Event(ctx context.Context, id string) (Event, error) {
	return get[Event](ctx, c, eventsPath+Path(id))
}

// EventBody reads the exact bytes that an event is delivered with, and their
// content type.
func (c *Client) EventBody(ctx context.Context, id string) (body []byte, contentType string, err error) {
	got, err := c.Call(ctx, Request{Method: http.MethodGet, Path: eventsPath + Path(id, "body")})
	if err != nil {
		return nil, "", err
	}
	return got.Body, got.Header.Get("Content-Type"), nil
}

// Events goes through all events that match, delivered or not, oldest first.
func (c *Client) Events(ctx context.Context, filter EventFilter) iter.Seq2[Event, error] {
	return rows(func(yield func(Page[Event], error) bool) {
		for page, err := range c.EventPages(ctx, filter) {
			if !yield(page.Page, err) {
				return
			}
		}
	})
}

// EventPages goes through the same events page by page, for reconciliation: to
// get every event once, also when the program comes back tomorrow, keep the
// CompleteUntil of the last page that was dealt with, and begin with Since set to
// it the next time. Pages may be short, even empty.
func (c *Client) EventPages(ctx context.Context, filter EventFilter) iter.Seq2[EventPage, error] {
	return pages[EventPage](ctx, c, eventsPath, filter.query())
}

// EventPage reads one page of them.
func (c *Client) EventPage(ctx context.Context, filter EventFilter) (EventPage, error) {
	return Do[EventPage](ctx, c, Request{Method: http.MethodGet, Path: eventsPath, Query: filter.query()})
}

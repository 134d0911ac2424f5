package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// MaxBatch is how many events [Client.PublishBatch] takes at once.
const MaxBatch = 1000

// NewEvent is an event to be published. Either Data or Body is set.
type NewEvent struct {
	Tenant string // whose it is; a tenant's or publish key has its own, and may leave it out
	Type   string // what happened, such as invoice.paid

	// Data is a JSON value, and is kept byte for byte; white space around it does
	// not belong to it. What the receiver gets around it, the endpoint's policy says.
	Data json.RawMessage

	// Body is instead of Data: the whole body to be delivered, whatever its bytes
	// are. It may be empty, but not nil.
	Body        []byte
	ContentType string // of Body; "": application/json

	// IdempotencyKey makes a repeat harmless: the same key and event, within 7 days,
	// give the first one's id, and add nothing. At most 256 bytes of UTF-8. "": each
	// call of Publish is an event of its own.
	IdempotencyKey string

	CoalesceKey   string    // names an entity: what is pending with the same key is replaced. Not for facts
	EntityVersion string    // of that entity; kept and shown with the event
	ExternalID    string    // your own name for the event
	OccurredAt    time.Time // zero: when Malote takes it in
	EndpointIDs   []string  // only these endpoints get it; empty: all that subscribe
}

// Published is what became of a published event.
type Published struct {
	ID         string `json:"id"`         // of the event
	Duplicate  bool   `json:"duplicate"`  // the key was used before: ID is the first one's, and nothing was added
	Deliveries int    `json:"deliveries"` // to how many endpoints it goes
	Skipped    int    `json:"skipped"`    // how many deliveries were recorded as skipped
}

// Publish publishes one event. Once it returns without an error, the event and
// its deliveries are committed.
//
// An *ArgumentError, and an *Error that is not Uncertain, say that the event is not
// in. After any other error that is not known: publish it again with the same
// IdempotencyKey.
func (c *Client) Publish(ctx context.Context, event NewEvent) (Published, error) {
	body, err := event.appendTo(nil, "")
	if err != nil {
		return Published{}, err
	}
	return Do[Published](ctx, c, Request{Method: http.MethodPost, Path: "/v1/events", Body: body, Repeatable: true})
}

// PublishBatch publishes 1 to [MaxBatch] events in one transaction: all, or if
// one is refused, none; [Error.Index] says which one. The results are in the
// order of the events. See [Client.Publish] for errors.
func (c *Client) PublishBatch(ctx context.Context, events []NewEvent) ([]Published, error) {
	if len(events) == 0 || len(events) > MaxBatch {
		return nil, &ArgumentError{"events", fmt.Sprintf("must be 1 to %d: there are %d", MaxBatch, len(events))}
	}
	body := []byte(`{"events":[`)
	for i := range events {
		if i > 0 {
			body = append(body, ',')
		}
		var err error
		if body, err = events[i].appendTo(body, fmt.Sprintf("events[%d].", i)); err != nil {
			return nil, err
		}
	}
	body = append(body, "]}"...)
	got, err := c.Call(ctx, Request{Method: http.MethodPost, Path: "/v1/events/batch", Body: body, Repeatable: true})
	if err != nil {
		return nil, err
	}
	var results struct{ Data []Published }
	if err := got.Decode(&results); err != nil {
		return nil, err
	}
	if len(results.Data) != len(events) {
		return nil, got.unusable(errors.New("it has another number of results than there were events"))
	}
	return results.Data, nil
}

package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// Signal is something that somebody should hear of.
type Signal struct {
	ID         string    `json:"id"`
	Tenant     string    `json:"tenant"`
	Kind       string    `json:"kind"`        // such as delivery_dead, endpoint_failing or endpoint_disabled
	Detail     string    `json:"detail"`      // what there is to know, in short
	EndpointID string    `json:"endpoint_id"` // "": it concerns none, as in the next three
	DeliveryID string    `json:"delivery_id"`
	EventID    string    `json:"event_id"`
	EventType  string    `json:"event_type"`
	CreatedAt  time.Time `json:"created_at"`
}

// SignalFilter says which signals to list, newest first.
type SignalFilter struct {
	Tenant string    // "": all that the key may see
	Kind   string    // "": every kind
	Since  time.Time // of then or later; zero: no bound

	EndpointID string // "": about whatever endpoint, or none

	Paging
}

func (f SignalFilter) query() url.Values {
	query := f.into(url.Values{})
	set(query, "tenant", f.Tenant)
	set(query, "kind", f.Kind)
	set(query, "endpoint", f.EndpointID)
	setInstant(query, "since", f.Since)
	return query
}

const signalsPath = "/v1/signals"

// Signals goes through all signals that match, newest first.
func (c *Client) Signals(ctx context.Context, filter SignalFilter) iter.Seq2[Signal, error] {
	return List[Signal](ctx, c, signalsPath, filter.query())
}

// SignalPage reads one page of them.
func (c *Client) SignalPage(ctx context.Context, filter SignalFilter) (Page[Signal], error) {
	return Do[Page[Signal]](ctx, c, Request{Method: http.MethodGet, Path: signalsPath, Query: filter.query()})
}

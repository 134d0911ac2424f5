package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// State says where a delivery is. A later Malote may know more than these.
type State string

// The states of deliveries. All but the first two are final, until somebody
// replays or recovers the delivery.
const (
	StatePending    State = "pending"
	StateSending    State = "sending"
	StateDelivered  State = "delivered"
	StateDead       State = "dead"    // given up: see DeadReason
	StateSkipped    State = "skipped" // never sent: see SkipReason
	StateSuperseded State = "superseded"
	StateResolved   State = "resolved"
	StateDiscarded  State = "discarded"
)

// Open says whether something is left to be done.
func (s State) Open() bool { return s == StatePending || s == StateSending }

// Delivery is an event on its way to one endpoint.
type Delivery struct {
	ID         string `json:"id"`
	EventID    string `json:"event_id"`
	EndpointID string `json:"endpoint_id"` // "": the event matched no endpoint
	Tenant     string `json:"tenant"`
	EventType  string `json:"event_type"`
	State      State  `json:"state"`
	DeadReason string `json:"dead_reason"` // attempts_exhausted, too_old, rejected, gone, too_large, interrupted or endpoint_deleted
	SkipReason string `json:"skip_reason"` // no_endpoint, type_not_subscribed, endpoint_disabled or filtered
	Resolution string `json:"resolution"`  // what the person wrote who resolved it
	Trigger    string `json:"trigger"`     // why it was last put into the queue: schedule, replay, test or recover

	AttemptCount       int       `json:"attempt_count"`
	NextAttemptAt      time.Time `json:"next_attempt_at"`      // zero: it is not pending
	LastResponseStatus int       `json:"last_response_status"` // 0: no answer was read
	LastErrorCode      string    `json:"last_error_code"`      // why the last attempt failed: see Attempt.ErrorCode
	CoalesceKey        string    `json:"coalesce_key"`
	SupersededBy       string    `json:"superseded_by"` // the newer delivery that took its place
	CreatedAt          time.Time `json:"created_at"`
	ClosedAt           time.Time `json:"closed_at"` // zero: it is open

	Attempts []Attempt `json:"attempts"` // only from Client.Delivery
}

// Attempt is one request to an endpoint, and what came of it.
type Attempt struct {
	Number         int       `json:"number"`  // 1… over the delivery's whole life
	Trigger        string    `json:"trigger"` // schedule, replay, test or recover
	ScheduledAt    time.Time `json:"scheduled_at"`
	StartedAt      time.Time `json:"started_at"`
	DurationMS     int64     `json:"duration_ms"`
	ResponseStatus int       `json:"response_status"` // 0: no answer was read

	// ErrorCode is "" for a success, else timeout, dns, connect_refused, connect,
	// tls, reset, protocol, blocked_address, url_not_allowed, no_secret,
	// http_status, response_truncated or interrupted; of mail also smtp_deferred,
	// smtp_rejected or smtp_auth.
	ErrorCode    string `json:"error_code"`
	Error        string `json:"error"`         // what went wrong, in a sentence
	ResponseBody string `json:"response_body"` // the beginning of a failed answer, as text
}

// OK says whether the attempt succeeded.
func (a Attempt) OK() bool { return a.ErrorCode == "" }

// Duration is how long the attempt took, to the millisecond.
func (a Attempt) Duration() time.Duration { return time.Duration(a.DurationMS) * time.Millisecond }

// DeliveryFilter says which deliveries to list, newest first. Conditions are
// joined by "and".
type DeliveryFilter struct {
	Tenant     string
	EndpointID string
	EventID    string    // what became of one event
	State      State     // "": all
	EventType  string    // exact; "": all
	Since      time.Time // of events accepted then or later; zero: no bound
	Until      time.Time // of events accepted before; zero: no bound
	Paging
}

func (f DeliveryFilter) query() url.Values {
	query := f.into(url.Values{})
	set(query, "tenant", f.Tenant)
	set(query, "endpoint", f.EndpointID)
	set(query, "event", f.EventID)
	set(query, "state", string(f.State))
	set(query, "type", f.EventType)
	setInstant(query, "since", f.Since)
	setInstant(query, "until", f.Until)
	return query
}

const deliveriesPath = "/v1/webhook_deliveries"

// Delivery reads one delivery with all of its attempts.
func (c *Client) Delivery(ctx context.Context, id string) (Delivery, error) {
	return get[Delivery](ctx, c, deliveriesPath+Path(id))
}

// Deliveries goes through all deliveries that match, newest first, without their
// attempts.
func (c *Client) Deliveries(ctx context.Context, filter DeliveryFilter) iter.Seq2[Delivery, error] {
	return List[Delivery](ctx, c, deliveriesPath, filter.query())
}

// DeliveryPage reads one page of them. A page before the last may be short, even
// empty.
func (c *Client) DeliveryPage(ctx context.Context, filter DeliveryFilter) (Page[Delivery], error) {
	return Do[Page[Delivery]](ctx, c, Request{Method: http.MethodGet, Path: deliveriesPath, Query: filter.query()})
}

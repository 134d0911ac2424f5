package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// EndpointStatus says whether an endpoint is sent what it subscribes to. A later
// Malote may know more than these.
type EndpointStatus string

// The statuses of endpoints.
const (
	EndpointActive           EndpointStatus = "active"
	EndpointPaused           EndpointStatus = "paused"             // events are collected, none is sent
	EndpointDisabledByUser   EndpointStatus = "disabled_by_user"   // new events are skipped
	EndpointDisabledBySystem EndpointStatus = "disabled_by_system" // likewise: see DisabledReason
)

// Endpoint is an endpoint and how it is doing.
type Endpoint struct {
	ID            string            `json:"id"`
	Tenant        string            `json:"tenant"`
	URL           string            `json:"url"`           // in its normal form
	Policy        string            `json:"policy"`        // the delivery contract, by name
	EventTypes    []string          `json:"event_types"`   // empty: every type
	MaxInFlight   int               `json:"max_in_flight"` // deliveries on their way at once
	RateLimit     float64           `json:"rate_limit"`    // attempts a second; 0: no limit
	FIFO          bool              `json:"fifo"`          // strictly one after another
	Filter        string            `json:"filter"`        // a CEL expression; "": every event
	Headers       map[string]string `json:"headers"`       // sent with every attempt; values that may not be seen are [hidden]
	SecretHeaders []string          `json:"secret_headers"`
	AtMostOnce    bool              `json:"at_most_once"` // nothing is ever sent twice
	Description   string            `json:"description"`
	Metadata      map[string]string `json:"metadata"` // yours; never sent
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`

	Status              EndpointStatus `json:"status"`
	DisabledReason      string         `json:"disabled_reason"`      // gone, consecutive_failures or failing_too_long
	Circuit             string         `json:"circuit"`              // closed, open or half_open
	Limit               int            `json:"limit"`                // deliveries that may be on their way now: fewer while it is slowed down or tried again
	ConsecutiveFailures int            `json:"consecutive_failures"` // attempts that failed in a row
	FirstFailureAt      time.Time      `json:"first_failure_at"`     // of those in a row; zero: there are none
	LastFailureAt       time.Time      `json:"last_failure_at"`      // zero: never
	LastSuccessAt       time.Time      `json:"last_success_at"`      // zero: never
	PausedUntil         time.Time      `json:"paused_until"`         // until when failures in a row keep it from being called; zero: they do not

	// These are counted for [Client.Endpoint] and lists with Counts; nil elsewhere.
	Pending                 *int   `json:"pending"`
	InFlight                *int   `json:"in_flight"`
	OldestPendingAgeSeconds *int64 `json:"oldest_pending_age_seconds"` // nil also: none is pending

	ReplayedCount int    `json:"replayed_count"` // only from EnableEndpoint: dead deliveries that went back into the queue
	Secret        string `json:"secret"`         // only from CreateEndpoint: signs its deliveries, and cannot be read again
}

// NewEndpoint is an endpoint to be created.
type NewEndpoint struct {
	Tenant        string            `json:"tenant,omitempty"` // a tenant's key has its own, and may leave it out
	URL           string            `json:"url"`
	Policy        string            `json:"policy,omitempty"`         // "": standard, or email for a mailto: URL
	EventTypes    []string          `json:"event_types,omitempty"`    // such as invoice.paid or invoice.*; empty: every type
	MaxInFlight   int               `json:"max_in_flight,omitempty"`  // 1…1000; 0: the policy's default
	RateLimit     float64           `json:"rate_limit,omitempty"`     // attempts a second, over all processes; 0: the policy's default
	FIFO          *bool             `json:"fifo,omitempty"`           // strictly one after another; nil: the policy's default
	Filter        string            `json:"filter,omitempty"`         // a CEL expression: events for which it is false are skipped
	Headers       map[string]string `json:"headers,omitempty"`        // sent with every attempt; those that speak of credentials are secret
	SecretHeaders []string          `json:"secret_headers,omitempty"` // which other headers are secret, by name
	AtMostOnce    bool              `json:"at_most_once,omitempty"`   // never send anything twice, not even when it may not have arrived
	Description   string            `json:"description,omitempty"`
	Metadata      map[string]string `json:"metadata,omitempty"`
	Secret        string            `json:"secret,omitempty"` // a signing secret of your own, whsec_… or whsk_…; "": one is made

	IdempotencyKey string `json:"-"` // see the package's documentation; "": the call makes one
}

// EndpointPatch changes what is not nil; lists and maps are replaced as a whole.
type EndpointPatch struct {
	URL           *string            `json:"url,omitempty"` // also for what is pending
	Policy        *string            `json:"policy,omitempty"`
	EventTypes    *[]string          `json:"event_types,omitempty"`   // empty: every type
	MaxInFlight   *int               `json:"max_in_flight,omitempty"` // 0: back to the policy's default
	RateLimit     *float64           `json:"rate_limit,omitempty"`    // 0: back to the policy's default
	FIFO          *bool              `json:"fifo,omitempty"`
	Filter        *string            `json:"filter,omitempty"`         // "": every event
	Headers       *map[string]string `json:"headers,omitempty"`        // the value [hidden] keeps what a secret header has
	SecretHeaders *[]string          `json:"secret_headers,omitempty"` // goes with Headers
	AtMostOnce    *bool              `json:"at_most_once,omitempty"`
	Description   *string            `json:"description,omitempty"`
	Metadata      *map[string]string `json:"metadata,omitempty"`
}

// EndpointFilter says which endpoints to list, oldest first.
type EndpointFilter struct {
	Tenant  string         // "": all that the key may see
	Status  EndpointStatus // "": any
	Circuit string         // closed, open or half_open, at this moment; "": any
	Text    string         // in the URL or the description, in whatever case
	Counts  bool           // also count what is pending and in flight, which takes time where a lot is
	Paging
}

func (f EndpointFilter) query() url.Values {
	query := f.into(url.Values{})
	set(query, "tenant", f.Tenant)
	set(query, "status", string(f.Status))
	set(query, "circuit", f.Circuit)
	set(query, "text", f.Text)
	if f.Counts {
		query.Set("counts", strconv.FormatBool(true))
	}
	return query
}

const endpointsPath = "/v1/webhook_endpoints"

// CreateEndpoint creates an endpoint, which receives what is published from now
// on. The answer holds its signing secret, this once. When the answer to the
// first try got lost, the endpoint is there and Secret is empty:
// [Client.RotateSecret] with an overlap of 0 makes another.
func (c *Client) CreateEndpoint(ctx context.Context, endpoint NewEndpoint) (Endpoint, error) {
	return create[Endpoint](ctx, c, endpointsPath, endpoint.IdempotencyKey, endpoint)
}

// Endpoint reads one endpoint, with what waits for it.
func (c *Client) Endpoint(ctx context.Context, id string) (Endpoint, error) {
	return get[Endpoint](ctx, c, endpointsPath+Path(id))
}

// Endpoints goes through all endpoints that match, oldest first.
func (c *Client) Endpoints(ctx context.Context, filter EndpointFilter) iter.Seq2[Endpoint, error] {
	return List[Endpoint](ctx, c, endpointsPath, filter.query())
}

// EndpointPage reads one page of them.
func (c *Client) EndpointPage(ctx context.Context, filter EndpointFilter) (Page[Endpoint], error) {
	return Do[Page[Endpoint]](ctx, c, Request{Method: http.MethodGet, Path: endpointsPath, Query: filter.query()})
}

// UpdateEndpoint changes an endpoint. What is pending goes to the new URL. It is
// sent once.
func (c *Client) UpdateEndpoint(ctx context.Context, id string, patch EndpointPatch) (Endpoint, error) {
	return change[Endpoint](ctx, c, endpointsPath+Path(id), patch)
}

// DeleteEndpoint deletes an endpoint. What is pending for it ends as dead; its
// history stays readable. It is sent once, and may take [LongTimeout].
func (c *Client) DeleteEndpoint(ctx context.Context, id string) error {
	return remove(ctx, c, Request{Path: endpointsPath + Path(id), Timeout: c.long()})
}

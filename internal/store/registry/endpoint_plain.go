package registry

import (
	"context"

	"github.com/malotehq/malote/internal/delivery"
)

// The same calls for those who know nothing of a lane's options.

// NewEndpoint is an EndpointSpec without a rate limit, an order, a filter and
// secret headers.
type NewEndpoint struct {
	Tenant      string
	URL         string
	Policy      string
	EventTypes  []string // empty: every type (D07)
	MaxInFlight int      // 1…1000; 0: the policy's default
	Headers     map[string]string
	AtMostOnce  bool
	Description string
	Metadata    map[string]string
	Secrets     []string // values, the current one first
}

// EndpointPatch is an EndpointChange that leaves those alone. It changes what is
// not nil.
type EndpointPatch struct {
	URL         *string
	Policy      *string
	EventTypes  *[]string
	MaxInFlight *int // 0: back to the policy's default
	Headers     *map[string]string
	AtMostOnce  *bool
	Description *string
	Metadata    *map[string]string
}

// Defaults are LaneDefaults of a policy without a rate limit and an order.
type Defaults struct {
	Policy       string // whose defaults these are
	MaxInFlight  int    // F03
	LeaseSeconds int    // more than the total deadline (I5)
}

func (d Defaults) ofLane() LaneDefaults {
	return LaneDefaults{Policy: d.Policy, MaxInFlight: d.MaxInFlight, LeaseSeconds: d.LeaseSeconds}
}

// CreateEndpoint is MakeEndpoint.
func (r *Registry) CreateEndpoint(ctx context.Context, e NewEndpoint, defaults Defaults, once Once) (made Endpoint, created bool, _ error) {
	return r.MakeEndpoint(ctx, EndpointSpec{
		Tenant: e.Tenant, URL: e.URL, Policy: e.Policy, EventTypes: e.EventTypes, MaxInFlight: e.MaxInFlight,
		Headers: e.Headers, AtMostOnce: e.AtMostOnce, Description: e.Description, Metadata: e.Metadata, Secrets: e.Secrets,
	}, defaults.ofLane(), once)
}

// UpdateEndpoint is ChangeEndpoint.
func (r *Registry) UpdateEndpoint(ctx context.Context, owner Owner, id delivery.ID, p EndpointPatch, defaults Defaults) (Endpoint, error) {
	return r.ChangeEndpoint(ctx, owner, id, EndpointChange{
		URL: p.URL, Policy: p.Policy, EventTypes: p.EventTypes, MaxInFlight: p.MaxInFlight, Headers: p.Headers,
		AtMostOnce: p.AtMostOnce, Description: p.Description, Metadata: p.Metadata,
	}, defaults.ofLane())
}

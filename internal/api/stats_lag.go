package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Lag tells "one customer is slow" from "the platform is out of capacity".
type Lag struct {
	Lanes []LaneLag // the most delayed first

	Oldest        time.Duration // age of the oldest pending delivery; 0: none is pending
	OldestHealthy time.Duration // over active lanes without failures or a pause

	Open Open
}

// LaneLag is how far behind one endpoint is (F17).
type LaneLag struct {
	EndpointID  delivery.ID
	Tenant      string
	URL         string
	Status      delivery.EndpointStatus
	Pending     int
	InFlight    int
	Limit       int // how many may be in flight now: less than MaxInFlight while slowed down or probing
	MaxInFlight int

	OldestAge           time.Duration // of the pending ones, since acceptance or their replay
	ConsecutiveFailures int
	PausedUntil         time.Time          // zero: the circuit is closed
	LastError           delivery.ErrorCode // of the oldest pending delivery that has one

	Healthy        bool   // active, without failures or a pause
	Circuit        string // closed, open or half_open
	DisabledReason string
	LastFailureAt  time.Time
	LastSuccessAt  time.Time
}

// lagging is how many endpoints the list has.
const lagging = 20

type lagJSON struct {
	OldestPendingAgeSeconds        float64       `json:"oldest_pending_age_seconds" doc:"Over all endpoints; 0: nothing is pending."`
	OldestHealthyPendingAgeSeconds float64       `json:"oldest_healthy_pending_age_seconds" doc:"Over endpoints that are active and do not fail. High: the platform is out of capacity. Only the other one is high: somebody's endpoint is slow."`
	Pending                        int           `json:"pending" example:"12" doc:"Deliveries that wait, over all endpoints."`
	PendingAtLeast                 bool          `json:"pending_at_least" doc:"Whether there are more: of an endpoint not more than 10,000 are counted, and less where many endpoints have some."`
	InFlight                       int           `json:"in_flight" example:"4"`
	EndpointsWithPending           int           `json:"webhook_endpoints_with_pending" example:"3"`
	WebhookEndpoints               []laneLagJSON `json:"webhook_endpoints" doc:"The 20 most delayed ones."`
}

type laneLagJSON struct {
	ID                      string    `json:"id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant                  string    `json:"tenant" example:"acme"`
	URL                     string    `json:"url" example:"https://example.com/webhooks"`
	Status                  string    `json:"status" enum:"active,paused,disabled_by_user,disabled_by_system"`
	Pending                 int       `json:"pending" doc:"Counted up to 10,000."`
	InFlight                int       `json:"in_flight"`
	Limit                   int       `json:"limit" doc:"How many may be in flight now: less than max_in_flight while it is slowed down or probed."`
	MaxInFlight             int       `json:"max_in_flight"`
	OldestPendingAgeSeconds float64   `json:"oldest_pending_age_seconds"`
	ConsecutiveFailures     int       `json:"consecutive_failures"`
	PausedUntil             timestamp `json:"paused_until"`
	LastErrorCode           *string   `json:"last_error_code" doc:"Of the oldest pending delivery that has one."`
	Healthy                 bool      `json:"healthy" doc:"Active, without failures in a row or a pause: such endpoints make up oldest_healthy_pending_age_seconds."`
	Circuit                 string    `json:"circuit" enum:"closed,open,half_open" doc:"open: it is left alone until paused_until. half_open: it is being tried again."`
	DisabledReason          *string   `json:"disabled_reason" doc:"Why Malote itself disabled it."`
	LastFailureAt           timestamp `json:"last_failure_at"`
	LastSuccessAt           timestamp `json:"last_success_at"`
}

type lagInput struct {
	Tenant string `query:"tenant" maxLength:"64" doc:"Only this tenant's endpoints."`
}

type lagAnswer struct{ Body lagJSON }

func (s *server) registerLag(r *routes) {
	handle(r, route{
		id: "get-lag", method: http.MethodGet, path: "/v1/stats/lag", tag: tagHealth, need: mayRead,
		summary: "The most delayed endpoints", description: "With what holds each of them up.", sample: "tenant=acme",
	}, s.getLag)
}

func (s *server) getLag(ctx context.Context, input *lagInput) (*lagAnswer, error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	tenant, _ := owner.Tenant()
	lag, err := s.Stats.Lag(ctx, tenant, lagging)
	if err != nil {
		return nil, err
	}
	return &lagAnswer{lagJSON{
		OldestPendingAgeSeconds: lag.Oldest.Seconds(), OldestHealthyPendingAgeSeconds: lag.OldestHealthy.Seconds(),
		Pending: lag.Open.Pending, PendingAtLeast: lag.Open.PendingCapped, InFlight: lag.Open.InFlight, EndpointsWithPending: lag.Open.Lanes,
		WebhookEndpoints: shown(lag.Lanes, showLane),
	}}, nil
}

func showLane(l LaneLag) laneLagJSON {
	return laneLagJSON{
		ID: l.EndpointID.Format(delivery.EndpointPrefix), Tenant: l.Tenant, URL: l.URL, Status: string(l.Status),
		Pending: l.Pending, InFlight: l.InFlight, Limit: l.Limit, MaxInFlight: l.MaxInFlight,
		OldestPendingAgeSeconds: l.OldestAge.Seconds(), ConsecutiveFailures: l.ConsecutiveFailures,
		PausedUntil: timestamp{l.PausedUntil}, LastErrorCode: optional(string(l.LastError)),
		Healthy: l.Healthy, Circuit: l.Circuit, DisabledReason: optional(l.DisabledReason),
		LastFailureAt: timestamp{l.LastFailureAt}, LastSuccessAt: timestamp{l.LastSuccessAt},
	}
}

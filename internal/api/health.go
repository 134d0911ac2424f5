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
}

// lagging is how many endpoints the list has.
const lagging = 20

type lagJSON struct {
	OldestPendingAgeSeconds        float64       `json:"oldest_pending_age_seconds" doc:"Over all endpoints; 0: nothing is pending."`
	OldestHealthyPendingAgeSeconds float64       `json:"oldest_healthy_pending_age_seconds" doc:"Over endpoints that are active and do not fail. High: the platform is out of capacity. Only the other one is high: somebody's endpoint is slow."`
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
}

type lagAnswer struct{ Body lagJSON }

type statusJSON struct {
	Status string `json:"status" enum:"ok"`
}

type statusAnswer struct{ Body statusJSON }

func (s *server) registerHealth(r *routes) {
	handle(r, route{
		id: "get-lag", method: http.MethodGet, path: "/v1/stats/lag", tag: tagHealth, need: mayAdmin,
		summary: "The most delayed endpoints",
	}, s.getLag)
	handle(r, route{
		id: "get-health", method: http.MethodGet, path: "/healthz", tag: tagHealth, need: anybody,
		summary: "Whether the process runs", description: "It says nothing about the database: a restart would not help that.",
	}, func(context.Context, *struct{}) (*statusAnswer, error) { return &statusAnswer{statusJSON{"ok"}}, nil })
	handle(r, route{
		id: "get-readiness", method: http.MethodGet, path: "/readyz", tag: tagHealth, need: anybody,
		timeout: 2 * time.Second, summary: "Whether requests can be served",
		description: "Otherwise 503, with the code unavailable.",
	}, s.getReadiness)
}

func (s *server) getLag(ctx context.Context, _ *struct{}) (*lagAnswer, error) {
	lag, err := s.History.Lag(ctx, lagging)
	if err != nil {
		return nil, err
	}
	return &lagAnswer{lagJSON{
		OldestPendingAgeSeconds: lag.Oldest.Seconds(), OldestHealthyPendingAgeSeconds: lag.OldestHealthy.Seconds(),
		WebhookEndpoints: shown(lag.Lanes, showLane),
	}}, nil
}

func showLane(l LaneLag) laneLagJSON {
	return laneLagJSON{
		ID: l.EndpointID.Format(delivery.EndpointPrefix), Tenant: l.Tenant, URL: l.URL, Status: string(l.Status),
		Pending: l.Pending, InFlight: l.InFlight, Limit: l.Limit, MaxInFlight: l.MaxInFlight,
		OldestPendingAgeSeconds: l.OldestAge.Seconds(), ConsecutiveFailures: l.ConsecutiveFailures,
		PausedUntil: timestamp{l.PausedUntil}, LastErrorCode: optional(string(l.LastError)),
	}
}

func (s *server) getReadiness(ctx context.Context, _ *struct{}) (*statusAnswer, error) {
	if err := s.Prober.Ready(ctx); err != nil {
		s.log.WarnContext(ctx, "not ready", "error", err)
		return nil, problem(Unavailable, "")
	}
	return &statusAnswer{statusJSON{"ok"}}, nil
}

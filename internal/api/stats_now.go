package api

import (
	"context"
	"net/http"
	"time"
)

type nowJSON struct {
	At                 timestamp `json:"at" nullable:"false" doc:"When the figures were taken: up to a second ago."`
	WindowSeconds      float64   `json:"window_seconds" example:"60" doc:"The time that rates and latencies are of: the last minute, or less if nothing ran before."`
	PublishedPerSecond float64   `json:"published_per_second" example:"120.5"`
	AttemptsPerSecond  float64   `json:"attempts_per_second" example:"241"`
	SuccessRate        *float64  `json:"success_rate" example:"0.998" doc:"Share of the attempts that succeeded; null: there were none."`
	LatencyJSON
	Processes int `json:"processes" example:"2" doc:"How many processes are at work."`

	Pending        int  `json:"pending" example:"12" doc:"Deliveries that wait, over all endpoints."`
	PendingAtLeast bool `json:"pending_at_least" doc:"Whether there are more: of an endpoint not more than 10,000 are counted, and less where many endpoints have some."`
	InFlight       int  `json:"in_flight" example:"4"`
	Endpoints      int  `json:"webhook_endpoints_with_pending" example:"3"`

	OldestPendingAgeSeconds        float64 `json:"oldest_pending_age_seconds" doc:"Over all endpoints; 0: nothing is pending."`
	OldestHealthyPendingAgeSeconds float64 `json:"oldest_healthy_pending_age_seconds" doc:"Over endpoints that are active and do not fail."`
}

type nowAnswer struct{ Body nowJSON }

func (s *server) registerNow(r *routes) {
	handle(r, route{
		id: "get-now", method: http.MethodGet, path: "/v1/stats/now", tag: tagHealth, need: mayAdmin,
		summary: "What is going on",
		description: "Rates and latencies of the last minute over all processes, and what is open. Every process writes down what it did " +
			"every two seconds, so that this costs the same however much that is.",
	}, s.getNow)
}

func (s *server) getNow(ctx context.Context, _ *struct{}) (*nowAnswer, error) {
	now, err := s.Stats.Now(ctx)
	if err != nil {
		return nil, err
	}
	return &nowAnswer{showNow(now)}, nil
}

func showNow(now Now) nowJSON {
	view := nowJSON{
		At: timestamp{now.At}, WindowSeconds: now.Span.Seconds(), LatencyJSON: showLatency(now.Latency), Processes: now.Processes,
		Pending: now.Open.Pending, PendingAtLeast: now.Open.PendingCapped, InFlight: now.Open.InFlight, Endpoints: now.Open.Lanes,
		OldestPendingAgeSeconds: now.Oldest.Seconds(), OldestHealthyPendingAgeSeconds: now.OldestHealthy.Seconds(),
	}
	attempts := now.OK + now.Failed
	if seconds := max(now.Span, time.Second).Seconds(); now.Span > 0 {
		view.PublishedPerSecond, view.AttemptsPerSecond = float64(now.Published)/seconds, float64(attempts)/seconds
	}
	view.SuccessRate = shareOf(now.OK, attempts)
	return view
}

// shareOf is nil of nothing.
func shareOf(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}

package app

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/pulse"
)

// statsAPI shows figures to the API in the API's own words.
type statsAPI struct {
	history *history.Reader
	pulse   *pulse.Pulse

	now   glances[struct{}, api.Now]
	lag   glances[lagQuestion, api.Lag]
	hours glances[api.HourFilter, []api.Hour]
}

// lagQuestion is what Lag is asked.
type lagQuestion struct {
	tenant string
	limit  int
}

const (
	// nowSpan is what "now" is about.
	nowSpan = time.Minute
	// nowAge is how long "now" is shown again at least.
	nowAge = time.Second
)

func newStatsAPI(h *history.Reader, p *pulse.Pulse) *statsAPI {
	return &statsAPI{history: h, pulse: p, now: glances[struct{}, api.Now]{least: nowAge}}
}

// Now implements api.Stats.
func (a *statsAPI) Now(ctx context.Context) (api.Now, error) {
	return a.now.of(ctx, struct{}{}, a.lookNow)
}

func (a *statsAPI) lookNow(ctx context.Context) (api.Now, error) {
	recent, err := a.pulse.Recent(ctx, nowSpan)
	if err != nil {
		return api.Now{}, err
	}
	lag, err := a.history.Lag(ctx, 0)
	if err != nil {
		return api.Now{}, err
	}
	return api.Now{
		At: time.Now(), Span: recent.Span, Published: recent.Published, OK: recent.OK, Failed: recent.Failed,
		Latency:   api.Histogram{Bounds: pulse.Bounds, Counts: recent.Latency},
		Processes: recent.Processes, Open: openOf(lag.Open), Oldest: lag.Oldest, OldestHealthy: lag.OldestHealthy,
	}, nil
}

func openOf(o history.OpenCounts) api.Open {
	return api.Open{Pending: o.Pending, PendingCapped: o.PendingCapped, InFlight: o.Sending, Lanes: o.Lanes}
}

// Lag implements api.Stats.
func (a *statsAPI) Lag(ctx context.Context, tenant string, limit int) (api.Lag, error) {
	return a.lag.of(ctx, lagQuestion{tenant, limit}, func(ctx context.Context) (api.Lag, error) {
		lag, err := a.history.LagOf(ctx, tenant, limit)
		return api.Lag{
			Lanes: mapAll(lag.Lanes, laneLag), Oldest: lag.Oldest, OldestHealthy: lag.OldestHealthy, Open: openOf(lag.Open),
		}, err
	})
}

func laneLag(l history.LaneLag) api.LaneLag {
	return api.LaneLag{
		EndpointID: l.EndpointID, Tenant: l.Tenant, URL: l.URL, Status: l.Status, Pending: l.Pending, InFlight: l.InFlight,
		Limit: l.Limit, MaxInFlight: l.MaxInFlight, OldestAge: l.OldestAge,
		ConsecutiveFailures: l.ConsecutiveFailures, PausedUntil: l.PausedUntil, LastError: l.LastError,
		Healthy: l.Healthy, Circuit: string(l.Circuit), DisabledReason: l.DisabledReason,
		LastFailureAt: l.LastFailureAt, LastSuccessAt: l.LastSuccessAt,
	}
}

// Hours implements api.Stats. Instants in one hour ask for the same hours.
func (a *statsAPI) Hours(ctx context.Context, filter api.HourFilter) ([]api.Hour, error) {
	question := filter
	question.Until = filter.Until.UTC().Add(time.Hour - 1).Truncate(time.Hour)
	return a.hours.of(ctx, question, func(ctx context.Context) ([]api.Hour, error) {
		hours, err := a.history.Hours(ctx, history.HourFilter(filter))
		return mapAll(hours, func(h history.Hour) api.Hour {
			return api.Hour{Hour: h.Hour, OK: h.OK, Failed: h.Failed, Latency: api.Histogram{Bounds: history.HourBounds, Counts: h.Latency}}
		}), err
	})
}

// DeadLetters implements api.Stats.
func (a *statsAPI) DeadLetters(ctx context.Context, filter api.DeadFilter) (api.DeadLetters, error) {
	dead, err := a.history.DeadLetters(ctx, history.DeadFilter(filter))
	return api.DeadLetters{
		Groups: mapAll(dead.Groups, func(g history.DeadGroup) api.DeadGroup { return api.DeadGroup(g) }), Capped: dead.Capped,
	}, err
}

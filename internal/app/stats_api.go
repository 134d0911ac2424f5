package app

import (
	"context"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/pulse"
)

// statsAPI shows figures to the API in the API's own words.
type statsAPI struct {
	history *history.Reader
	pulse   *pulse.Pulse

	mu  sync.Mutex // held while somebody looks: who comes meanwhile gets the same
	now api.Now
	age time.Duration // how old it may be that is shown again
}

const (
	// nowSpan is what "now" is about.
	nowSpan = time.Minute
	// A look is shown again for a second, or so many times what it took: many who
	// watch must not add up to load.
	nowAge, nowRest = time.Second, 10
)

// Now implements api.Stats.
func (a *statsAPI) Now(ctx context.Context) (api.Now, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.now.At) < a.age {
		return a.now, nil
	}
	begun := time.Now()
	recent, err := a.pulse.Recent(ctx, nowSpan)
	if err != nil {
		return api.Now{}, err
	}
	lag, err := a.history.Lag(ctx, 0)
	if err != nil {
		return api.Now{}, err
	}
	a.age = max(nowAge, nowRest*time.Since(begun))
	a.now = api.Now{
		At: time.Now(), Span: recent.Span, Published: recent.Published, OK: recent.OK, Failed: recent.Failed,
		Latency:   api.Histogram{Bounds: pulse.Bounds, Counts: recent.Latency},
		Processes: recent.Processes, Open: openOf(lag.Open), Oldest: lag.Oldest, OldestHealthy: lag.OldestHealthy,
	}
	return a.now, nil
}

func openOf(o history.OpenCounts) api.Open {
	return api.Open{Pending: o.Pending, PendingCapped: o.PendingCapped, InFlight: o.Sending, Lanes: o.Lanes}
}

// Lag implements api.Stats.
func (a *statsAPI) Lag(ctx context.Context, tenant string, limit int) (api.Lag, error) {
	lag, err := a.history.LagOf(ctx, tenant, limit)
	return api.Lag{
		Lanes: mapAll(lag.Lanes, laneLag), Oldest: lag.Oldest, OldestHealthy: lag.OldestHealthy, Open: openOf(lag.Open),
	}, err
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

// Hours implements api.Stats.
func (a *statsAPI) Hours(ctx context.Context, filter api.HourFilter) ([]api.Hour, error) {
	hours, err := a.history.Hours(ctx, history.HourFilter(filter))
	return mapAll(hours, func(h history.Hour) api.Hour {
		return api.Hour{Hour: h.Hour, OK: h.OK, Failed: h.Failed, Latency: api.Histogram{Bounds: history.HourBounds, Counts: h.Latency}}
	}), err
}

// DeadLetters implements api.Stats.
func (a *statsAPI) DeadLetters(ctx context.Context, filter api.DeadFilter) (api.DeadLetters, error) {
	dead, err := a.history.DeadLetters(ctx, history.DeadFilter(filter))
	return api.DeadLetters{
		Groups: mapAll(dead.Groups, func(g history.DeadGroup) api.DeadGroup { return api.DeadGroup(g) }), Capped: dead.Capped,
	}, err
}

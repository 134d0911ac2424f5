package bench

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

// gentleRate is events a second that nothing should have to wait at.
const gentleRate = 50

var latencyCases = []struct {
	name string
	cast cast
}{
	{"one", aWhole},
	{"two: api and worker", cast{roles: [][]string{{"api"}, {"worker"}}}},
}

func (b *bench) latency(ctx context.Context) error {
	for _, c := range latencyCases {
		b.step("%s", c.name)
		row, err := b.latencyOf(ctx, c.cast)
		if err != nil {
			return err
		}
		row.Processes = c.name
		b.report.Latency = append(b.report.Latency, row)
	}
	return nil
}

func (b *bench) latencyOf(ctx context.Context, c cast) (report.Latency, error) {
	s, err := b.openStage(ctx, c)
	if err != nil {
		return report.Latency{}, err
	}
	defer s.close()
	t, err := s.prepare(ctx, b.Endpoints, endpointOptions{})
	if err != nil {
		return report.Latency{}, err
	}
	publishSteadily(ctx, evenly(gentleRate), b.WarmUp, s.urls, t)
	felt, failed := s.steadily(ctx, evenly(gentleRate), b.Duration, t)
	return report.Latency{Rate: gentleRate, Failed: failed, Quantiles: felt}, ctx.Err()
}

// stragglers is how long is waited for what was published and has not come. What
// does not come in that time either is counted apart: it is in no quantile.
const stragglers = 30 * time.Second

// steadily publishes to endpoints that answer at once, and tells how long events
// took: all that were published in the time, whenever they came.
func (s *stage) steadily(ctx context.Context, next gaps, d time.Duration, t target) (_ report.Quantiles, failed int64) {
	s.receivers.keep()
	outcome := publishSteadily(ctx, next, d, s.urls, t)
	await(ctx, stragglers, func() bool { return s.receivers.noted() >= outcome.accepted.Load() })
	felt := report.QuantilesOf(s.receivers.kept())
	felt.Missing = max(0, outcome.accepted.Load()-int64(felt.Count))
	return felt, outcome.failed.Load()
}

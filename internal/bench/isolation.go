package bench

import (
	"context"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

// isolationCase is one endpoint that hangs, among others.
type isolationCase struct{ endpoints, maxInFlight int }

const (
	hangTime    = 10 * time.Second
	hangingRate = 12.0  // a second, to the one that hangs
	healthyRate = 120.0 // to all others together
)

func (b *bench) isolationCases() []isolationCase {
	return []isolationCase{{100, b.MaxInFlight}, {1800, 16}} // the latter: F03's world
}

func (b *bench) isolation(ctx context.Context) error {
	for _, c := range b.isolationCases() {
		b.step("%d endpoints, %d slots", c.endpoints, c.maxInFlight)
		row, err := b.isolationOf(ctx, c)
		if err != nil {
			return err
		}
		b.report.Isolation = append(b.report.Isolation, row)
	}
	return nil
}

func (b *bench) isolationOf(ctx context.Context, c isolationCase) (report.Isolation, error) {
	row := report.Isolation{Endpoints: c.endpoints, MaxInFlight: c.maxInFlight, HangSeconds: hangTime.Seconds(), HangingRate: hangingRate, HealthyRate: healthyRate}
	who := aWhole
	who.maxInFlight = c.maxInFlight
	s, err := b.openStage(ctx, who)
	if err != nil {
		return row, err
	}
	defer s.close()
	s.receivers.behave(1, hang(hangTime))
	t, err := s.prepare(ctx, c.endpoints, endpointOptions{})
	if err != nil {
		return row, err
	}
	hanging, healthy := t.part(0, 1), t.part(1, c.endpoints)
	publishSteadily(ctx, healthyRate, b.WarmUp, s.urls, healthy)
	var failed [2]int64
	row.Before, failed[0] = s.steadily(ctx, healthyRate, b.Duration, healthy)
	var load sync.WaitGroup
	var outcome *tally
	// Twice as long: what hangs needs its time to fill whatever can be filled.
	load.Go(func() { outcome = publishSteadily(ctx, hangingRate, 2*b.Duration, s.urls, hanging) })
	row.During, failed[1] = s.steadily(ctx, healthyRate, 2*b.Duration, healthy)
	load.Wait()
	row.Hung, row.Failed = s.receivers.arrived.Load(), failed[0]+failed[1]+outcome.failed.Load()
	return row, ctx.Err()
}

package bench

import (
	"context"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

// isolationCase is one endpoint that hangs, among others.
type isolationCase struct {
	endpoints, maxInFlight int
	known                  bool // every healthy endpoint has answered before
}

const (
	hangTime    = 10 * time.Second
	hangingRate = 12.0  // a second, to the one that hangs
	healthyRate = 120.0 // to all others together
	knowingRate = 400.0 // while they become known
)

func (b *bench) isolationCases() []isolationCase {
	// The latter two are F03's world, and the last one a bad day in it: of whoever has
	// not answered yet, Malote does not know that it will.
	return []isolationCase{{100, b.MaxInFlight, true}, {1800, 16, true}, {1800, 16, false}}
}

func (b *bench) isolation(ctx context.Context) error {
	for _, c := range b.isolationCases() {
		b.step("%d endpoints, %d slots, known before: %t", c.endpoints, c.maxInFlight, c.known)
		row, err := b.isolationOf(ctx, c)
		if err != nil {
			return err
		}
		b.report.Isolation = append(b.report.Isolation, row)
	}
	return nil
}

func (b *bench) isolationOf(ctx context.Context, c isolationCase) (report.Isolation, error) {
	row := report.Isolation{Endpoints: c.endpoints, MaxInFlight: c.maxInFlight, Known: c.known, HangSeconds: hangTime.Seconds(), HangingRate: hangingRate, HealthyRate: healthyRate}
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
	if c.known {
		each := time.Duration(float64(len(healthy.endpoints)) / knowingRate * float64(time.Second))
		s.steadily(ctx, evenly(knowingRate), each+time.Second/2, healthy)
		publishSteadily(ctx, randomly(healthyRate), b.WarmUp, s.urls, healthy)
	}
	var failed [2]int64
	row.Before, failed[0] = s.steadily(ctx, randomly(healthyRate), b.Duration, healthy)
	var load sync.WaitGroup
	var outcome *tally
	// Twice as long: what hangs needs its time to fill whatever can be filled.
	load.Go(func() { outcome = publishSteadily(ctx, randomly(hangingRate), 2*b.Duration, s.urls, hanging) })
	row.During, failed[1] = s.steadily(ctx, randomly(healthyRate), 2*b.Duration, healthy)
	load.Wait()
	row.Hung, row.Failed = s.receivers.arrived.Load(), failed[0]+failed[1]+outcome.failed.Load()
	return row, ctx.Err()
}

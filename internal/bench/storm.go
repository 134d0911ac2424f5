package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
)

const (
	stormEndpoints = 100
	stormFailing   = 10
	stormRate      = 300.0 // a second, to those that fail
	// drainTime bounds the wait for the backlog to be through.
	drainTime = 3 * time.Minute
)

// stormPolicy is the default one's shape with seconds for minutes, so that a run
// ends.
const stormPolicy = `name: bench-storm
description: "Retries within seconds, so that an outage and its end can be watched."
deadline: 5s
lease: 60s
max_in_flight: 10
success: [2xx]
response: {read_limit: 0, keep_failed: 0, broken_body: success}
schedule: {kind: exponential, base: 1s, factor: 2, cap: 5s, jitter: {kind: equal}, anchor: finished, first_delay: 0s, minimum_wait: 100ms}
give_up: {attempts: 1000, age: 1h, age_from: accepted}
circuit: {kind: half_open, failures: 10, pause: 1s, max_pause: 5s}
headers: {id: webhook-id, timestamp: webhook-timestamp, signature: webhook-signature}
signature: {scheme: standard-webhooks}
envelope: {type: type, timestamp: occurred_at, data: data}
`

// retryStorm has some endpoints fail for the duration, and then recover.
func (b *bench) retryStorm(ctx context.Context) error {
	b.step("%d of %d endpoints fail, then recover", stormFailing, stormEndpoints)
	s, err := b.openStage(ctx, aWhole)
	if err != nil {
		return err
	}
	defer s.close()
	var failing atomic.Bool
	s.receivers.behave(stormFailing, func(*http.Request) bool { return !failing.Load() })
	if err := s.makePolicy(ctx, stormPolicy); err != nil {
		return err
	}
	t, err := s.prepare(ctx, stormEndpoints, endpointOptions{policy: "bench-storm"})
	if err != nil {
		return err
	}
	storm, healthy := t.part(0, stormFailing), t.part(stormFailing, stormEndpoints)
	row := report.RetryStorm{OutageSeconds: b.Duration.Seconds(), StormRate: stormRate, HealthyRate: healthyRate}
	publishSteadily(ctx, randomly(healthyRate), b.WarmUp, s.urls, healthy)
	var failed [3]int64
	row.Before, failed[0] = s.steadily(ctx, randomly(healthyRate), b.Duration, healthy)

	failing.Store(true)
	var load sync.WaitGroup
	var outcome *tally
	load.Go(func() { outcome = publishSteadily(ctx, randomly(stormRate), b.Duration, s.urls, storm) })
	row.Outage, failed[1] = s.steadily(ctx, randomly(healthyRate), b.Duration, healthy)
	load.Wait()

	row.Backlog, row.Refused = outcome.accepted.Load()-s.receivers.taken.Load(), s.receivers.declined.Load()
	failing.Store(false)
	recovered := time.Now()
	load.Go(func() {
		row.Drained = await(ctx, drainTime, func() bool { return s.receivers.taken.Load() >= outcome.accepted.Load() })
		row.DrainSeconds = time.Since(recovered).Round(10 * time.Millisecond).Seconds()
	})
	row.Draining, failed[2] = s.steadily(ctx, randomly(healthyRate), b.Duration, healthy)
	load.Wait()
	row.Failed = failed[0] + failed[1] + failed[2] + outcome.failed.Load()
	b.report.RetryStorm = append(b.report.RetryStorm, row)
	return ctx.Err()
}

func (s *stage) makePolicy(ctx context.Context, yaml string) error {
	body, err := json.Marshal(map[string]string{"yaml": yaml})
	if err != nil {
		return fmt.Errorf("describing a policy: %w", err)
	}
	if _, err := post(ctx, newHTTPClient(1), s.urls[0]+"/v1/policies", string(body)); err != nil {
		return fmt.Errorf("making a policy: %w", err)
	}
	return nil
}

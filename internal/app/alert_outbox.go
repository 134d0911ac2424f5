package app

import (
	"context"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/alert"
	"github.com/malotehq/malote/internal/metrics"
)

// outboxReadings are what this process's relays last saw of their outboxes.
type outboxReadings struct {
	mu    sync.Mutex // owns the map
	seen  map[string]outboxReading
	since time.Time // before that nobody looked
}

type outboxReading struct {
	oldest time.Duration
	at     time.Time
}

func newOutboxReadings() *outboxReadings {
	return &outboxReadings{seen: make(map[string]outboxReading), since: time.Now()}
}

// blindAfter is how long an outbox may go without a reading: relays take one every
// few seconds, unless they are in the middle of a batch.
const blindAfter = 45 * time.Second

func (r *outboxReadings) note(name string, oldest time.Duration, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[name] = outboxReading{oldest, now}
}

// lateness is how old the oldest row is, as far as anybody knows: one that cannot be
// looked at grows older meanwhile.
func (r *outboxReadings) lateness(name string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	reading, known := r.seen[name]
	if !known {
		reading.at = r.since
	}
	if blind := now.Sub(reading.at); blind > blindAfter {
		return reading.oldest + blind
	}
	return reading.oldest
}

// watchedRelay notes readings on their way to the metrics.
type watchedRelay struct {
	*metrics.Metrics
	readings *outboxReadings
}

// RelayLag implements relay.Observer.
func (r watchedRelay) RelayLag(name string, waiting int64, oldest time.Duration, refused int64) {
	r.readings.note(name, oldest, time.Now())
	r.Metrics.RelayLag(name, waiting, oldest, refused)
}

// outboxLookEvery is how often readings are compared with the threshold.
const outboxLookEvery = 10 * time.Second

// watchOutboxes raises signals of outboxes that are not carried, until ctx ends.
func (p *process) watchOutboxes(ctx context.Context) {
	watch := alert.NewWatch(p.notices, p.options.Alerts.thresholds())
	names := []string{OwnOutbox}
	for _, o := range p.options.Outboxes {
		names = append(names, o.Name)
	}
	ticker := time.NewTicker(outboxLookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, name := range names {
			kind, err := watch.Outbox(ctx, name, p.outboxes.lateness(name, time.Now()))
			if err != nil && ctx.Err() == nil {
				p.log.Warn("noting how late an outbox is failed; the next look is soon", "outbox", name, "error", err)
			}
			if kind != "" {
				p.metrics.SignalsRaised(string(kind), 1)
			}
		}
	}
}

package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/metrics"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pulse"
)

const (
	// beatEvery is how often a process writes down what it did; restEvery, if that
	// is nothing.
	beatEvery = 2 * time.Second
	restEvery = 10 * time.Second
	// beatTimeout bounds a beat: the next one brings what it did not.
	beatTimeout = 5 * time.Second
	// tidyEvery is how often one of all processes looks after the figures.
	tidyEvery   = 5 * time.Minute
	tidyTimeout = time.Minute
)

// heart counts beside the metrics, which see one process only, what all
// processes together are asked for.
type heart struct {
	*metrics.Metrics

	mu     sync.Mutex
	counts pulse.Counts
	since  time.Time // what the counts are since
}

func newHeart(m *metrics.Metrics) *heart {
	return &heart{Metrics: m, counts: noCounts(), since: time.Now()}
}

func noCounts() pulse.Counts { return pulse.Counts{Latency: make([]int64, len(pulse.Bounds)+1)} }

// AttemptEnded implements dispatch.Observer.
func (h *heart) AttemptEnded(code delivery.ErrorCode, success bool, took time.Duration) {
	h.Metrics.AttemptEnded(code, success, took)
	bucket, _ := slices.BinarySearch(pulse.Bounds, took.Milliseconds())
	h.mu.Lock()
	defer h.mu.Unlock()
	if success {
		h.counts.OK++
	} else {
		h.counts.Failed++
	}
	h.counts.Latency[bucket]++
}

// Published implements publish.Observer.
func (h *heart) Published(events, duplicates, refused int) {
	h.Metrics.Published(events, duplicates, refused)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts.Published += int64(events)
}

// take gives what was counted and begins anew; due is false while there is
// nothing to tell.
func (h *heart) take(now time.Time) (counts pulse.Counts, span time.Duration, due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	span = now.Sub(h.since)
	if h.counts.Published+h.counts.OK+h.counts.Failed == 0 && span < restEvery {
		return pulse.Counts{}, 0, false
	}
	counts, h.counts, h.since = h.counts, noCounts(), now
	return counts, span, true
}

// putBack counts what could not be written.
func (h *heart) putBack(counts pulse.Counts, span time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts.Add(counts)
	h.since = h.since.Add(-span)
}

// beat writes down what this process does until ctx ends.
func (h *heart) beat(ctx context.Context, to *pulse.Pulse, log *slog.Logger) {
	ticks := time.NewTicker(beatEvery)
	defer ticks.Stop()
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true // once more, for the last moments
		case <-ticks.C:
		}
		counts, span, due := h.take(time.Now())
		if !due {
			continue
		}
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatTimeout)
		if err := to.Beat(bounded, span, counts); err != nil {
			h.putBack(counts, span)
			log.Debug("what this process did could not be written down", "error", err)
		}
		cancel()
	}
}

// tidy looks after the figures until ctx ends, in one process of all at a time.
func tidy(ctx context.Context, to *pulse.Pulse, s *store.Store, log *slog.Logger) {
	ticks := time.NewTicker(tidyEvery)
	defer ticks.Stop()
	for {
		if err := tidyOnce(ctx, to, s); err != nil && ctx.Err() == nil {
			log.Warn("the figures could not be looked after; trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

func tidyOnce(ctx context.Context, to *pulse.Pulse, s *store.Store) error {
	ctx, cancel := context.WithTimeout(ctx, tidyTimeout)
	defer cancel()
	mine, err := s.ClaimTask(ctx, "figures", tidyEvery)
	if err != nil || !mine {
		return err
	}
	if err := to.Forget(ctx); err != nil {
		return err
	}
	_, err = to.RollUp(ctx, time.Now())
	return err
}

package retention

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// failures are the days that could not be done when they were last tried, by the
// name of a partition. Each process knows its own.
type failures struct {
	mu   sync.Mutex
	days map[string]bool
}

func (k *Keeper) hasFailed(d partitions) bool {
	k.failed.mu.Lock()
	defer k.failed.mu.Unlock()
	return k.failed.days[d.of(d.tables[0])]
}

// note remembers how a day went, and logs what kept it from being done. That this
// process is told to stop is no failure.
func (k *Keeper) note(ctx context.Context, d partitions, err error, now time.Time) {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	k.failed.mu.Lock()
	defer k.failed.mu.Unlock()
	if err == nil {
		delete(k.failed.days, d.of(d.tables[0]))
		return
	}
	if k.failed.days == nil {
		k.failed.days = make(map[string]bool)
	}
	k.failed.days[d.of(d.tables[0])] = true
	k.log.Log(ctx, k.gravity(d, err, now), "a day older than the retention could not be gone through; the next run tries again",
		"day", d.name(), "of", d.tables[0], "due_since", k.dueAt(d).Format(time.RFC3339), "error", err)
}

// gravity: that others are in the way is to be expected now and then, but not in
// every run of a day.
func (k *Keeper) gravity(d partitions, err error, now time.Time) slog.Level {
	isPassing := errors.Is(err, ErrBusy) || errors.Is(err, errNeeded)
	if isPassing && now.Sub(k.dueAt(d)) < day {
		return slog.LevelWarn
	}
	return slog.LevelError
}

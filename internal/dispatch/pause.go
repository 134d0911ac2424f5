package dispatch

import (
	"context"
	"time"
)

// backoff spaces the tries of something that fails: each pause is twice the
// last, so that a database that is away is never asked in a tight loop. It
// belongs to one goroutine.
type backoff struct {
	least, most time.Duration
	last        time.Duration
}

// forDatabase is how work waits that must be done as soon as the database is back.
func forDatabase() backoff { return backoff{least: 50 * time.Millisecond, most: 5 * time.Second} }

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, b.least), b.most)
	return b.last
}

func (b *backoff) reset() { b.last = 0 }

// pause returns after d, or when ctx ends; false: it ended. Without a pause there is
// no timer: one that has run out before anybody waits for it makes the race detector
// of Go 1.26 crash in time bubbles, once in some twenty runs.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

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

// pause returns after d, or when ctx ends; false: it ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

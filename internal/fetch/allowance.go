package fetch

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/malotehq/malote/internal/delivery"
)

// What one owner may have fetched, besides what is kept: a provider changes its
// certificates a few times a year, and subscribes a few topics at once.
const (
	allowanceEvery = 5 * time.Second
	allowanceBurst = 10
)

// owners bounds how many allowances are remembered. Those that are full again
// are forgotten first: remembering them changes nothing.
const owners = 4096

// allowances are the owners' token buckets. The zero value is ready.
type allowances struct {
	mu      sync.Mutex
	buckets map[delivery.ID]*rate.Limiter
}

func (a *allowances) take(owner delivery.ID, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	bucket, known := a.buckets[owner]
	if !known {
		if len(a.buckets) >= owners && !a.forget(now) {
			return false
		}
		if a.buckets == nil {
			a.buckets = make(map[delivery.ID]*rate.Limiter)
		}
		bucket = rate.NewLimiter(rate.Every(allowanceEvery), allowanceBurst)
		a.buckets[owner] = bucket
	}
	return bucket.AllowN(now, 1)
}

// forget makes room, if any bucket is full again.
func (a *allowances) forget(now time.Time) bool {
	for owner, bucket := range a.buckets {
		if bucket.TokensAt(now) >= allowanceBurst {
			delete(a.buckets, owner)
		}
	}
	return len(a.buckets) < owners
}

package dashboard

import (
	"net/netip"
	"sync"
	"time"
)

// allowance is how many tries something has, and how soon one comes back.
type allowance struct {
	burst float64
	every time.Duration
}

// What a log-in takes a try from: of this account from this address, of this
// account from anywhere, of this address for any account. The first is small, the
// others larger: who attacks an account from elsewhere should not lock out its
// owner soon, and many may share an address.
var (
	ofPair    = allowance{burst: 5, every: time.Minute}
	ofAccount = allowance{burst: 30, every: 20 * time.Second}
	ofAddress = allowance{burst: 30, every: 10 * time.Second}
)

// throttle counts tries in memory. Each process counts its own, which multiplies
// the tries by the number of processes and no more.
type throttle struct {
	now func() time.Time

	mu   sync.Mutex
	left map[string]*tries
}

type tries struct {
	of   allowance
	left float64
	at   time.Time
}

// maxCounted bounds the memory that strangers can fill.
const maxCounted = 20_000

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, left: map[string]*tries{}}
}

// attempt is a log-in that was let through; its success gives the tries back.
type attempt struct {
	t    *throttle
	keys []string
}

// admit takes a try for a log-in, or says how long to wait for one.
func (t *throttle) admit(account string, address netip.Addr) (attempt, time.Duration) {
	from := network(address)
	keys := []string{"p " + from + " " + account, "u " + account, "a " + from}
	t.mu.Lock()
	defer t.mu.Unlock()
	now, wait := t.now(), time.Duration(0)
	counted := make([]*tries, len(keys))
	for i, of := range []allowance{ofPair, ofAccount, ofAddress} {
		counted[i] = t.count(keys[i], of, now)
		if missing := 1 - counted[i].left; missing > 0 {
			wait = max(wait, time.Duration(missing*float64(of.every)))
		}
	}
	if wait > 0 {
		return attempt{}, wait
	}
	for _, c := range counted {
		c.left--
	}
	return attempt{t, keys}, 0
}

// succeeded gives the try back, so that who knows the password is never slowed.
func (a attempt) succeeded() {
	a.t.mu.Lock()
	defer a.t.mu.Unlock()
	for _, key := range a.keys {
		if c, ok := a.t.left[key]; ok {
			c.left = min(c.of.burst, c.left+1)
		}
	}
}

func (t *throttle) count(key string, of allowance, now time.Time) *tries {
	c, known := t.left[key]
	if !known {
		t.makeRoom(now)
		c = &tries{of: of, left: of.burst, at: now}
		t.left[key] = c
	}
	c.refill(now)
	return c
}

func (c *tries) refill(now time.Time) {
	c.left = min(c.of.burst, c.left+float64(now.Sub(c.at))/float64(c.of.every))
	c.at = now
}

// makeRoom forgets what has all its tries again, and, if that is not enough,
// anything. It clears a good part at a time: looking through all of it for every
// stranger would be the strangers' weapon.
func (t *throttle) makeRoom(now time.Time) {
	if len(t.left) < maxCounted {
		return
	}
	for key, c := range t.left {
		if c.refill(now); c.left >= c.of.burst {
			delete(t.left, key)
		}
	}
	for key := range t.left {
		if len(t.left) <= maxCounted*3/4 {
			return
		}
		delete(t.left, key)
	}
}

// network is what one customer of a provider usually has: an address, or of IPv6
// the /64 around it.
func network(address netip.Addr) string {
	if address.Is6() && !address.Is4In6() {
		prefix, err := address.WithZone("").Prefix(64)
		if err == nil {
			return prefix.String()
		}
	}
	return address.Unmap().String()
}

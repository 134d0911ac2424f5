package fetch

import (
	"container/list"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/source"
)

// How long answers are kept. What a name stands for never changes; certificates
// end, which is checked at every use.
const (
	keepContent = 6 * time.Hour
	// useContent is how long content is used while, or because, it cannot be had
	// anew.
	useContent = 24 * time.Hour
	keepFinal  = time.Minute
	// keepPassing is how long nobody waits for a provider that does not answer.
	keepPassing = 5 * time.Second
)

// cached bounds the memory of each cache: answers are at most as large as their
// fetches say, 64 KiB as a rule.
const cached = 256

// keep says for how long an answer is kept. A subscription that was confirmed is
// asked about again only if the provider was not told.
func keep(purpose source.FetchPurpose, got answer) time.Duration {
	switch {
	case got.failure == nil && purpose == source.FetchSubscription:
		return 0
	case got.failure == nil:
		return keepContent
	case got.failure.Final():
		return keepFinal
	default:
		return keepPassing
	}
}

// cache keeps what was used last. What is no longer fresh stays until there is no
// room for it: that a name once had content is worth knowing. The zero value is
// ready.
type cache struct {
	mu      sync.Mutex
	entries map[name]*list.Element
	order   list.List // of entry; the front was used last
}

type entry struct {
	name    name
	answer  answer
	since   time.Time
	expires time.Time
}

// isFresh says that nobody needs to ask again.
func (e entry) isFresh(now time.Time) bool { return now.Before(e.expires) }

// isUsable says that it may be used while somebody asks again.
func (e entry) isUsable(now time.Time) bool { return now.Before(e.since.Add(useContent)) }

func (c *cache) get(of name) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.entries[of]
	if !ok {
		return entry{}, false
	}
	c.order.MoveToFront(at)
	return at.Value.(entry), true
}

func (c *cache) put(of name, got answer, lifetime time.Duration, now time.Time) {
	if lifetime <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[of]; ok {
		c.remove(at)
	}
	if c.order.Len() >= cached {
		c.remove(c.order.Back())
	}
	if c.entries == nil {
		c.entries = make(map[name]*list.Element)
	}
	c.entries[of] = c.order.PushFront(entry{of, got, now, now.Add(lifetime)})
}

// drop forgets a name.
func (c *cache) drop(of name) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[of]; ok {
		c.remove(at)
	}
}

func (c *cache) remove(at *list.Element) {
	delete(c.entries, c.order.Remove(at).(entry).name)
}

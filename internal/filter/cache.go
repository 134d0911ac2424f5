package filter

import "sync"

// cached bounds a Cache. A compiled filter takes some ten to hundred kilobytes.
const cached = 4096

// Cache keeps compiled filters by their source, those that do not compile
// included. Each is compiled once, however many ask for it at the same time. The
// zero value is ready, and safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	entries map[string]func() (*Filter, error)
}

// Get is Compile, the first time.
func (c *Cache) Get(source string) (*Filter, error) {
	return c.entry(source)()
}

func (c *Cache) entry(source string) func() (*Filter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, ok := c.entries[source]; ok {
		return entry
	}
	if c.entries == nil || len(c.entries) >= cached {
		c.entries = make(map[string]func() (*Filter, error))
	}
	entry := sync.OnceValues(func() (*Filter, error) { return Compile(source) })
	c.entries[source] = entry
	return entry
}

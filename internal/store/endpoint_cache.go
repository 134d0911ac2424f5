package store

import (
	"sync"

	"github.com/malotehq/malote/internal/delivery"
)

// endpointsCached bounds the cache of what senders need to know.
const endpointsCached = 100_000

// endpointCache keeps endpoints and their secrets between claims. An entry
// counts only while the lane's config_version, read under the lane's lock, is
// the entry's: an attempt always uses the URL and secrets of the moment (D10).
type endpointCache struct {
	mu      sync.Mutex
	entries map[delivery.ID]cachedEndpoint
}

type cachedEndpoint struct {
	version  int64
	endpoint *delivery.Endpoint // read only
}

func newEndpointCache() *endpointCache {
	return &endpointCache{entries: make(map[delivery.ID]cachedEndpoint)}
}

func (c *endpointCache) get(id delivery.ID, version int64) *delivery.Endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, ok := c.entries[id]; ok && entry.version == version {
		return entry.endpoint
	}
	return nil
}

func (c *endpointCache) put(version int64, endpoint *delivery.Endpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= endpointsCached {
		clear(c.entries)
	}
	c.entries[endpoint.ID] = cachedEndpoint{version: version, endpoint: endpoint}
}

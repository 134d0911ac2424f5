package store

import (
	"sync"

	"github.com/malotehq/malote/internal/delivery"
)

// tenantsCached bounds the cache. A process that serves more tenants than this
// at once reads some of them again.
const tenantsCached = 20_000

// tenantCache keeps the endpoints of tenants between publishes. An entry counts
// only while the tenant's endpoints_version, read inside the publish
// transaction, is the entry's: so it is never stale.
type tenantCache struct {
	mu      sync.Mutex
	entries map[string]tenantEndpoints
}

type tenantEndpoints struct {
	version   int64
	endpoints []*delivery.Endpoint // read only
}

func newTenantCache() *tenantCache {
	return &tenantCache{entries: make(map[string]tenantEndpoints)}
}

func (c *tenantCache) get(tenant string, version int64) ([]*delivery.Endpoint, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[tenant]
	return entry.endpoints, ok && entry.version == version
}

func (c *tenantCache) put(tenant string, entry tenantEndpoints) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= tenantsCached {
		clear(c.entries)
	}
	c.entries[tenant] = entry
}

package store

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

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

//go:embed queries/endpoint_configs.sql
var endpointConfigsSQL string

//go:embed queries/endpoint_secrets.sql
var endpointSecretsSQL string

// loadEndpoints reads endpoints with their secrets, by lane.
func loadEndpoints(ctx context.Context, tx pgx.Tx, refs []delivery.LaneRef) (map[delivery.ID]*delivery.Endpoint, error) {
	shards, ids := splitRefs(refs)
	endpoints := make(map[delivery.ID]*delivery.Endpoint, len(refs))
	rows, _ := tx.Query(ctx, endpointConfigsSQL, shards, ids)
	var e delivery.Endpoint
	var headers []byte
	_, err := pgx.ForEachRow(rows, []any{&e.ID, &e.Tenant, &e.URL, &e.Policy, &headers, &e.AtMostOnce}, func() error {
		loaded := e
		loaded.Headers = nil
		if err := json.Unmarshal(headers, &loaded.Headers); err != nil {
			return err
		}
		endpoints[loaded.ID] = &loaded
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading endpoints: %w", err)
	}
	return endpoints, loadSecrets(ctx, tx, shards, ids, endpoints)
}

func loadSecrets(ctx context.Context, tx pgx.Tx, shards []delivery.Shard, ids []delivery.ID, endpoints map[delivery.ID]*delivery.Endpoint) error {
	rows, _ := tx.Query(ctx, endpointSecretsSQL, shards, ids)
	var endpointID delivery.ID
	var secret delivery.Secret
	var value []byte
	_, err := pgx.ForEachRow(rows, []any{&endpointID, &secret.ID, &value, &secret.CreatedAt, zeroable(&secret.ExpiresAt)}, func() error {
		secret.Value = string(value)
		if endpoint := endpoints[endpointID]; endpoint != nil {
			endpoint.Secrets = append(endpoint.Secrets, secret)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading endpoints' secrets: %w", err)
	}
	return nil
}

func splitRefs(refs []delivery.LaneRef) ([]delivery.Shard, []delivery.ID) {
	shards := make([]delivery.Shard, len(refs))
	ids := make([]delivery.ID, len(refs))
	for i, ref := range refs {
		shards[i], ids[i] = ref.Shard, ref.EndpointID
	}
	return shards, ids
}

package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	listEndpointsOfPolicySQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.shard = $1 AND l.shard = $1 AND e.tenant = $2 AND e.policy = $3 AND e.id > $4 AND e.deleted_at IS NULL
		ORDER BY e.id LIMIT $5`

	// Over all shards: only an administrator asks.
	listAllEndpointsOfPolicySQL = `SELECT ` + endpointColumns + endpointsAndLanes + `
		WHERE e.policy = $1 AND e.id > $2 AND e.deleted_at IS NULL ORDER BY e.id LIMIT $3`
)

// EndpointsOfPolicy lists an owner's endpoints that have a policy, oldest first,
// without deleted ones and without counts.
func (r *Registry) EndpointsOfPolicy(ctx context.Context, owner Owner, policy string, page Page) (_ []Endpoint, more bool, _ error) {
	var rows pgx.Rows
	if owner.any {
		rows, _ = r.pool.Query(ctx, listAllEndpointsOfPolicySQL, policy, page.after(), page.Limit+1)
	} else {
		rows, _ = r.pool.Query(ctx, listEndpointsOfPolicySQL, delivery.ShardOf(owner.tenant), owner.tenant, policy, page.after(), page.Limit+1)
	}
	endpoints, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Endpoint, error) { return r.scanEndpoint(row) })
	endpoints, more = cut(endpoints, page.Limit)
	return endpoints, more, explain("listing a policy's endpoints", err)
}

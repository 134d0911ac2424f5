package registry

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	ensureTenantSQL = `INSERT INTO malote.tenants (shard, id, name, endpoints_version) VALUES ($1, $2, $3, $4)
		ON CONFLICT (shard, id) DO NOTHING`

	endpointOfURLSQL = `SELECT e.id FROM malote.endpoints AS e
		WHERE e.shard = $1 AND e.tenant = $2 AND e.url = $3 AND e.deleted_at IS NULL ORDER BY e.id LIMIT 1`
)

// EnsureOwnTenant makes the tenant that is Malote itself, unless it is there.
// Nobody can make or delete it otherwise.
func (r *Registry) EnsureOwnTenant(ctx context.Context) error {
	_, err := r.pool.Exec(ctx, ensureTenantSQL, delivery.ShardOf(delivery.OwnTenant), delivery.OwnTenant,
		"Malote itself: what operators should hear of", r.now().UnixMicro())
	return explain("making Malote's own tenant", err)
}

// EnsureOwnEndpoint gives the endpoint of Malote's own tenant that has the wanted
// one's URL, and makes it if there is none. What was changed of it since stays.
func (r *Registry) EnsureOwnEndpoint(ctx context.Context, wanted NewEndpoint, defaults Defaults) (id delivery.ID, _ error) {
	wanted.Tenant = delivery.OwnTenant
	shard := delivery.ShardOf(wanted.Tenant)
	find := func(from querier) error {
		return from.QueryRow(ctx, endpointOfURLSQL, shard, wanted.Tenant, wanted.URL).Scan(&id)
	}
	err := find(r.pool)
	if !errors.Is(err, pgx.ErrNoRows) {
		return id, explain("looking for an endpoint of Malote's own", err)
	}
	err = r.inTx(ctx, "making an endpoint of Malote's own", func(tx pgx.Tx) error {
		if err := lockAlone(ctx, tx, ownEndpoints); err != nil {
			return err
		}
		if err := find(tx); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		id = r.newID(shard)
		return r.insertEndpoint(ctx, tx, id, wanted, defaults)
	})
	return id, err
}

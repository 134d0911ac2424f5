package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	lockTenantSQL = `SELECT FROM malote.tenants AS t WHERE t.shard = $1 AND t.id = $2 FOR UPDATE`

	tenantInUseSQL = `SELECT
		EXISTS (SELECT FROM malote.endpoints AS e WHERE e.shard = $1 AND e.tenant = $2 AND e.deleted_at IS NULL)
		OR EXISTS (SELECT FROM malote.sources AS s WHERE s.shard = $1 AND s.tenant = $2 AND s.deleted_at IS NULL)`
)

// What goes with a tenant, in the order that foreign keys ask for.
var deleteTenantSQL = []string{
	`DELETE FROM malote.source_secrets AS x USING malote.sources AS s
		WHERE x.shard = $1 AND s.shard = $1 AND s.id = x.source_id AND s.tenant = $2`,
	`DELETE FROM malote.sources AS s WHERE s.shard = $1 AND s.tenant = $2`,
	`DELETE FROM malote.endpoints AS e WHERE e.shard = $1 AND e.tenant = $2`,
	`DELETE FROM malote.api_keys AS k WHERE k.shard = $1 AND k.tenant = $2`,
	`DELETE FROM malote.tenants AS t WHERE t.shard = $1 AND t.id = $2`,
}

// DeleteTenant ends a tenant and its API keys. While it has endpoints or
// sources it is refused with ErrTenantInUse: whoever deletes those sees what
// they throw away.
//
// The tenant's history stays until it expires. So do the lanes of its deleted
// endpoints: a delivery that was being sent, or published, just now still finds
// its lane, and CloseOrphans still finds the delivery.
func (r *Registry) DeleteTenant(ctx context.Context, slug string) error {
	shard := delivery.ShardOf(slug)
	return r.inTx(ctx, "deleting a tenant", func(tx pgx.Tx) error {
		// From here on nobody can give it anything: creating anything of a
		// tenant's locks its row as well.
		tag, err := tx.Exec(ctx, lockTenantSQL, shard, slug)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrNoTenant
		}
		if err != nil {
			return err
		}
		var inUse bool
		if err := tx.QueryRow(ctx, tenantInUseSQL, shard, slug).Scan(&inUse); err != nil {
			return err
		}
		if inUse {
			return ErrTenantInUse
		}
		for _, statement := range deleteTenantSQL {
			if _, err := tx.Exec(ctx, statement, shard, slug); err != nil {
				return err
			}
		}
		return nil
	})
}

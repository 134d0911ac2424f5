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

	// Whoever rescues an expired lease reads the endpoint that it was for.
	tenantBusySQL = `SELECT EXISTS (SELECT FROM malote.endpoints AS e
		CROSS JOIN LATERAL (SELECT FROM malote.queue AS q
			WHERE q.shard = $1 AND q.endpoint_id = e.id AND q.status = 'sending' LIMIT 1) AS sending
		WHERE e.shard = $1 AND e.tenant = $2)`
)

// What goes with a tenant, in the order that foreign keys ask for.
var deleteTenantSQL = []string{
	`DELETE FROM malote.source_secrets AS x USING malote.sources AS s
		WHERE x.shard = $1 AND s.shard = $1 AND s.id = x.source_id AND s.tenant = $2`,
	`DELETE FROM malote.gap_repairs AS g USING malote.sources AS s
		WHERE g.shard = $1 AND s.shard = $1 AND s.id = g.source_id AND s.tenant = $2`,
	`DELETE FROM malote.sources AS s WHERE s.shard = $1 AND s.tenant = $2`,
	`DELETE FROM malote.endpoints AS e WHERE e.shard = $1 AND e.tenant = $2`,
	`DELETE FROM malote.api_keys AS k WHERE k.shard = $1 AND k.tenant = $2`,
	`DELETE FROM malote.notice_windows AS w WHERE w.shard = $1 AND w.tenant = $2`,
	`DELETE FROM malote.tenants AS t WHERE t.shard = $1 AND t.id = $2`,
}

// DeleteTenant ends a tenant and its API keys. While it has endpoints or
// sources it is refused with ErrTenantInUse: whoever deletes those sees what
// they throw away. While something is still being sent to its deleted endpoints
// it is refused with ErrTenantBusy.
//
// The tenant's history stays until it expires. So do the lanes of its deleted
// endpoints: by them CloseOrphans finds what was published at the last moment.
func (r *Registry) DeleteTenant(ctx context.Context, slug string) error {
	if slug == delivery.OwnTenant {
		return explain("deleting a tenant", ErrTenantReserved)
	}
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
		for _, check := range []struct {
			query  string
			answer Conflict
		}{{tenantInUseSQL, ErrTenantInUse}, {tenantBusySQL, ErrTenantBusy}} {
			var refused bool
			if err := tx.QueryRow(ctx, check.query, shard, slug).Scan(&refused); err != nil {
				return err
			}
			if refused {
				return check.answer
			}
		}
		for _, statement := range deleteTenantSQL {
			if _, err := tx.Exec(ctx, statement, shard, slug); err != nil {
				return err
			}
		}
		return nil
	})
}

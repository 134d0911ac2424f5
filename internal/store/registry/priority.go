package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	lockUnweighedSQL = `SELECT FROM malote.lanes AS l
		WHERE l.shard = $1 AND l.tenant = $2 AND l.weight <> $3 AND l.status <> 'deleted'
		ORDER BY l.endpoint_id FOR UPDATE`

	weighSQL = `UPDATE malote.lanes AS l SET weight = $3
		WHERE l.shard = $1 AND l.tenant = $2 AND l.weight <> $3 AND l.status <> 'deleted'`
)

// inRange is a priority as it counts: what lies outside is the nearest.
func inRange(priority int) int { return min(max(priority, 0), delivery.MaxPriority) }

// weigh gives all lanes of a tenant the weight of its priority (A09), and then
// runs update, which writes that. Claimers read the weight with the lane: no
// version is raised.
//
// The lanes are locked in their order, and before the tenant, as everywhere.
// That none is made meanwhile is the advisory lock's doing.
func weigh(ctx context.Context, tx pgx.Tx, shard delivery.Shard, tenant string, priority int, update func() error) error {
	if err := lockAlone(ctx, tx, weightLock(tenant)); err != nil {
		return err
	}
	weight := delivery.Weight(priority)
	for _, statement := range []string{lockUnweighedSQL, weighSQL} {
		if _, err := tx.Exec(ctx, statement, shard, tenant, weight); err != nil {
			return err
		}
	}
	return update()
}

package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// lane is what a change needs to know of an endpoint's lane, whose row is
// locked: no claim, completion or other change of it runs meanwhile.
type lane struct {
	shard        delivery.Shard
	id           delivery.ID
	tenant       string
	status       delivery.EndpointStatus
	claimLimit   int
	circuitPhase circuit.Phase
	slowLevel    int
	rateLimit    float64
	fifo         bool
}

const (
	lockLaneSQL = `SELECT l.tenant, l.status, l.claim_limit, l.circuit_phase, l.slow_level,
			l.rate_limit, l.fifo_since IS NOT NULL
		FROM malote.lanes AS l
		WHERE l.shard = $1 AND l.endpoint_id = $2 AND l.status <> 'deleted' FOR UPDATE`

	raiseLaneVersionSQL = `UPDATE malote.lanes AS l SET config_version = l.config_version + 1
		WHERE l.shard = $1 AND l.endpoint_id = $2`
)

// changeEndpoint locks an endpoint's lane and its tenant, raises both versions
// and makes the change, which may then write whatever belongs to the endpoint.
func changeEndpoint(ctx context.Context, tx pgx.Tx, owner Owner, id delivery.ID, change func(lane) error) error {
	locked, err := lockLane(ctx, tx, owner, id)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, raiseLaneVersionSQL, locked.shard, locked.id); err != nil {
		return err
	}
	if _, err := raiseTenantVersion(ctx, tx, locked.shard, locked.tenant); err != nil {
		return err
	}
	return change(locked)
}

func lockLane(ctx context.Context, tx pgx.Tx, owner Owner, id delivery.ID) (lane, error) {
	l := lane{shard: id.Shard(), id: id}
	err := tx.QueryRow(ctx, lockLaneSQL, l.shard, id).
		Scan(&l.tenant, &l.status, &l.claimLimit, &l.circuitPhase, &l.slowLevel, &l.rateLimit, &l.fifo)
	if err == nil && !owner.owns(l.tenant) {
		return lane{}, ErrNoEndpoint
	}
	return l, orMissing(err, ErrNoEndpoint)
}

package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	deleteEndpointSQL = `UPDATE malote.endpoints AS e
		SET deleted_at = now(), updated_at = now(), secret_headers = NULL, secret_headers_key = ''
		WHERE e.shard = $1 AND e.id = $2`

	deleteSecretsSQL = `DELETE FROM malote.endpoint_secrets AS s
		USING (SELECT x.id FROM malote.endpoint_secrets AS x WHERE x.shard = $1 AND x.endpoint_id = $2
			ORDER BY x.id FOR UPDATE) AS locked
		WHERE s.shard = $1 AND s.id = locked.id`

	// Over all shards. LIMIT 1 makes the planner look into the queue's index
	// lane by lane, instead of reading the queue.
	orphanedLanesSQL = `SELECT l.shard, l.endpoint_id FROM malote.lanes AS l
		CROSS JOIN LATERAL (SELECT FROM malote.queue AS q
			WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending' LIMIT 1) AS orphan
		WHERE l.status = 'deleted' LIMIT $1`

	// Rows that somebody else has locked are left for the next time: this waits
	// for nobody while it holds locks of its own.
	lockPendingSQL = `SELECT q.id FROM malote.queue AS q
		WHERE q.shard = $1 AND q.endpoint_id = $2 AND q.status = 'pending'
		ORDER BY q.next_attempt_at, q.id LIMIT $3 FOR UPDATE SKIP LOCKED`

	buryPendingSQL = `INSERT INTO malote.deliveries
			(shard, id, endpoint_id, event_id, tenant, state, reason, trigger, rendering, attempt_count,
			 last_status, last_error, coalesce_key, closed_at)
		SELECT q.shard, q.id, q.endpoint_id, q.event_id, q.tenant, 'dead', $3, q.trigger, q.rendering, q.attempt_count,
			q.last_status, q.last_error, q.coalesce_key, now()
		FROM malote.queue AS q WHERE q.shard = $1 AND q.id = ANY($2)`

	removePendingSQL = `DELETE FROM malote.queue AS q WHERE q.shard = $1 AND q.id = ANY($2)`
)

// closeBatch is how many deliveries are closed in one transaction.
const closeBatch = 1000

// closeAtOnce is how many batches whoever deletes an endpoint waits for.
const closeAtOnce = 10

// DeleteEndpoint ends an endpoint, its secrets and its secret headers. What is pending for it is
// closed as dead (endpoint_deleted): up to 10,000 deliveries before it returns,
// the rest, and what comes back from being sent, by CloseOrphans. History goes
// on naming the endpoint.
func (r *Registry) DeleteEndpoint(ctx context.Context, owner Owner, id delivery.ID) error {
	err := r.inTx(ctx, "deleting an endpoint", func(tx pgx.Tx) error {
		return changeEndpoint(ctx, tx, owner, id, func(l lane) error {
			if _, err := tx.Exec(ctx, stopLaneSQL, l.shard, id, delivery.Deleted); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, deleteEndpointSQL, l.shard, id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, deleteSecretsSQL, l.shard, id)
			return err
		})
	})
	if err != nil {
		return err
	}
	for range closeAtOnce {
		closed, err := r.closePending(ctx, delivery.LaneRef{Shard: id.Shard(), EndpointID: id}, closeBatch)
		if err != nil || closed < closeBatch {
			break // the endpoint is deleted, and an error here is CloseOrphans' to see
		}
	}
	return nil //nolint:nilerr // see the break
}

// CloseOrphans closes up to limit pending deliveries of deleted endpoints, and
// says how many. Whoever published while the endpoint was deleted, and
// whatever was being sent then, leaves some.
func (r *Registry) CloseOrphans(ctx context.Context, limit int) (closed int, _ error) {
	rows, _ := r.pool.Query(ctx, orphanedLanesSQL, limit)
	lanes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[delivery.LaneRef])
	if err != nil {
		return 0, explain("looking for deleted endpoints' deliveries", err)
	}
	for _, lane := range lanes {
		for closed < limit {
			batch := min(closeBatch, limit-closed)
			n, err := r.closePending(ctx, lane, batch)
			closed += n
			if err != nil {
				return closed, err
			}
			if n < batch {
				break
			}
		}
	}
	return closed, nil
}

// closePending closes up to limit of a deleted lane's deliveries in one
// transaction. Nothing follows from it for circuit or alerts: somebody deleted
// the endpoint knowingly.
func (r *Registry) closePending(ctx context.Context, lane delivery.LaneRef, limit int) (closed int, _ error) {
	err := r.inTx(ctx, "closing a deleted endpoint's deliveries", func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, lockPendingSQL, lane.Shard, lane.EndpointID, limit)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
		closed = len(ids)
		if err != nil || closed == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, buryPendingSQL, lane.Shard, ids, delivery.EndpointDeleted); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, removePendingSQL, lane.Shard, ids)
		return err
	})
	if err != nil {
		return 0, err
	}
	return closed, nil
}

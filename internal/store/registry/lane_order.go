package registry

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	startOrderSQL = `UPDATE malote.lanes AS l SET fifo_since = now() WHERE l.shard = $1 AND l.endpoint_id = $2`

	endOrderSQL = `UPDATE malote.lanes AS l SET fifo_since = NULL WHERE l.shard = $1 AND l.endpoint_id = $2`

	// What is open when a lane becomes ordered takes its place by the first half
	// of its id, the time of its event: below -2^61, so that whatever the sequence
	// gives stands behind it, and what the sweep still finds without a place as
	// well. Deliveries of one instant have one place, and the id decides.
	placeOfQ = `('x' || left(replace(q.id::text, '-', ''), 16))::bit(64)::bigint - (1::bigint << 62)`

	// A place from an earlier time as an ordered lane is forgotten: what came in
	// between has none.
	placeQueueSQL = `WITH open AS (
			SELECT q.id FROM malote.queue AS q
			WHERE q.shard = $1 AND q.endpoint_id = $2 AND q.status = 'pending'
				AND q.fifo_position IS DISTINCT FROM ` + placeOfQ + `
			UNION ALL
			SELECT q.id FROM malote.queue AS q
			WHERE q.shard = $1 AND q.endpoint_id = $2 AND q.status = 'sending'
		), locked AS (
			SELECT q.id, ` + placeOfQ + ` AS place FROM open JOIN malote.queue AS q ON q.shard = $1 AND q.id = open.id
			ORDER BY q.id FOR UPDATE OF q
		)
		UPDATE malote.queue AS q SET fifo_position = locked.place FROM locked
		WHERE q.shard = $1 AND q.id = locked.id`

	// One step through what is pending, in the order it is due. It stops where the
	// lane is ordered already: then places are the sequence's to give.
	placeAheadSQL = `WITH picked AS (
			SELECT q.id, q.next_attempt_at FROM malote.queue AS q
			WHERE q.shard = $1 AND q.endpoint_id = $2 AND q.status = 'pending'
				AND (q.next_attempt_at, q.id) > (coalesce($3::timestamptz, '-infinity'), $4::uuid)
				AND EXISTS (SELECT FROM malote.lanes AS l
					WHERE l.shard = $1 AND l.endpoint_id = $2 AND l.fifo_since IS NULL)
			ORDER BY q.next_attempt_at, q.id LIMIT $5
		), locked AS (
			SELECT q.id, ` + placeOfQ + ` AS place FROM picked JOIN malote.queue AS q ON q.shard = $1 AND q.id = picked.id
			WHERE q.fifo_position IS DISTINCT FROM ` + placeOfQ + `
			ORDER BY q.id FOR UPDATE OF q SKIP LOCKED
		), placed AS (
			UPDATE malote.queue AS q SET fifo_position = locked.place FROM locked
			WHERE q.shard = $1 AND q.id = locked.id
		)
		SELECT picked.next_attempt_at, picked.id FROM picked
		ORDER BY picked.next_attempt_at DESC, picked.id DESC LIMIT 1`

	selectOrderSQL = `SELECT e.tenant, e.fifo, l.fifo_since IS NOT NULL` + endpointsAndLanes + `
		WHERE e.shard = $1 AND l.shard = $1 AND e.id = $2`
)

// placeBatch is how many deliveries one step places: those that are being placed
// are not claimed.
const placeBatch = 1000

// setOrder makes a lane strictly ordered, or no longer so. Publishers who do not
// know it yet give their deliveries no place; the sweep does it for them.
func setOrder(ctx context.Context, tx pgx.Tx, l lane, fifo bool) error {
	if !fifo {
		_, err := tx.Exec(ctx, endOrderSQL, l.shard, l.id)
		return err
	}
	if _, err := tx.Exec(ctx, startOrderSQL, l.shard, l.id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, placeQueueSQL, l.shard, l.id)
	return err
}

// placeAhead gives what is pending its place before a change makes the lane
// ordered. Nobody looks at the places of a lane that is not, so that this takes
// its time without a lock on the lane, and leaves little to be done under it:
// a batch of completions that meets a locked lane waits, with all its others.
func (r *Registry) placeAhead(ctx context.Context, owner Owner, id delivery.ID, patch EndpointPatch, defaults Defaults) error {
	if patch.FIFO == nil && patch.Policy == nil {
		return nil
	}
	var tenant string
	var own *bool
	var ordered bool
	err := r.pool.QueryRow(ctx, selectOrderSQL, id.Shard(), id).Scan(&tenant, &own, &ordered)
	switch {
	case err != nil:
		return orMissing(err, ErrNoEndpoint)
	case !owner.owns(tenant):
		return ErrNoEndpoint
	}
	if patch.FIFO != nil {
		own = patch.FIFO
	}
	if ordered || !defaults.fifo(own) {
		return nil
	}
	var due *time.Time
	var last delivery.ID
	for {
		err := r.pool.QueryRow(ctx, placeAheadSQL, id.Shard(), id, due, [16]byte(last), placeBatch).Scan(&due, &last)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
	}
}

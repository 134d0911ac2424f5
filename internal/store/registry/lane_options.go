package registry

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"
)

const (
	// What was counted under the old rate is forgotten.
	rateLaneSQL = `UPDATE malote.lanes AS l SET rate_limit = $3, rate_burst = $4, rate_ready_at = NULL
		WHERE l.shard = $1 AND l.endpoint_id = $2`

	startOrderSQL = `UPDATE malote.lanes AS l SET fifo_since = now() WHERE l.shard = $1 AND l.endpoint_id = $2`

	endOrderSQL = `UPDATE malote.lanes AS l SET fifo_since = NULL WHERE l.shard = $1 AND l.endpoint_id = $2`

	// All that is open takes its place by the first half of its id, the time of
	// its event: below -2^61, so that whatever the sequence gives stands behind
	// it, and what the sweep still finds without a place as well. Deliveries of
	// one instant have one place, and the id decides. A place from an earlier time
	// as an ordered lane is forgotten: what came in between has none.
	placeQueueSQL = `WITH open AS (
			SELECT q.id FROM malote.queue AS q
			WHERE q.shard = $1 AND q.endpoint_id = $2 AND q.status = 'pending'
			UNION ALL
			SELECT q.id FROM malote.queue AS q
			WHERE q.shard = $1 AND q.endpoint_id = $2 AND q.status = 'sending'
		), locked AS (
			SELECT q.id FROM open JOIN malote.queue AS q ON q.shard = $1 AND q.id = open.id
			ORDER BY q.id FOR UPDATE OF q
		), placed AS (
			SELECT locked.id,
				('x' || left(replace(locked.id::text, '-', ''), 16))::bit(64)::bigint - (1::bigint << 62) AS place
			FROM locked
		)
		UPDATE malote.queue AS q SET fifo_position = placed.place FROM placed
		WHERE q.shard = $1 AND q.id = placed.id`

	// Whether or not something is pending: see resumeLaneSQL.
	readyLaneSQL = `UPDATE malote.lanes AS l
		SET ready_at = greatest(now(), l.paused_until, l.rate_ready_at), parked_full = false
		WHERE l.shard = $1 AND l.endpoint_id = $2 AND l.status = 'active'`
)

// burst is how many attempts a rate allows at once: those of a tenth of a second.
func burst(rate float64) int {
	return int(min(max(1, math.Ceil(rate/10)), math.MaxInt32))
}

// setOptions changes a lane's rate and order. Whatever a claimer had parked it
// for may not hold any more.
func setOptions(ctx context.Context, tx pgx.Tx, l lane, rate float64, fifo bool) error {
	if rate == l.rateLimit && fifo == l.fifo {
		return nil
	}
	if rate != l.rateLimit {
		if _, err := tx.Exec(ctx, rateLaneSQL, l.shard, l.id, rate, burst(rate)); err != nil {
			return err
		}
	}
	if fifo != l.fifo {
		if err := setOrder(ctx, tx, l, fifo); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, readyLaneSQL, l.shard, l.id)
	return err
}

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

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

package redelivery

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/pick_pending.sql
var pickPendingSQL string

// discardBatch bounds how long a lane is locked.
const discardBatch = 1000

// Discard closes what is pending for an endpoint at the moment of the call
// without sending it, and says how many that were. What is being sent just now
// is not touched. It works in transactions of 1,000 rows: after an error, what
// was counted is done.
//
// The caller wakes the endpoint's lane afterwards, also after an error and without
// the caller's context, which may be what ended: in a strictly ordered lane the
// head may be gone that everything behind it was parked for.
func (w *Writer) Discard(ctx context.Context, endpoint delivery.ID) (int, error) {
	discarded := 0
	var begun time.Time
	if err := w.store.Pool().QueryRow(ctx, `SELECT now()`).Scan(&begun); err != nil {
		return 0, fmt.Errorf("discarding deliveries: %w", err)
	}
	for {
		var n int
		err := w.inTx(ctx, nil, func(tx pgx.Tx) (err error) {
			n, err = discardSome(ctx, tx, endpoint, begun)
			return err
		})
		if err != nil {
			return discarded, fmt.Errorf("discarding deliveries: %w", err)
		}
		if n == 0 {
			return discarded, nil
		}
		discarded += n
	}
}

func discardSome(ctx context.Context, tx pgx.Tx, endpoint delivery.ID, begun time.Time) (int, error) {
	shard := endpoint.Shard()
	if _, err := tx.Exec(ctx, lockLanesSQL, shard, []delivery.ID{endpoint}); err != nil {
		return 0, fmt.Errorf("locking the lane: %w", err)
	}
	rows, _ := tx.Query(ctx, pickPendingSQL, planned, shard, endpoint, begun, discardBatch)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	if err != nil {
		return 0, fmt.Errorf("picking pending deliveries: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	end := ending{
		state: delivery.Discarded, reason: delivery.DiscardedByUser,
		ids: ids, supersededBy: make([]delivery.ID, len(ids)),
	}
	return len(ids), end.close(ctx, tx, shard)
}

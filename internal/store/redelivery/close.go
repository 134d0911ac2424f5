package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/close_pending.sql
var closePendingSQL string

//go:embed queries/remove_pending.sql
var removePendingSQL string

// ending is how pending deliveries of one shard end without an attempt.
type ending struct {
	state  delivery.State
	reason delivery.Reason

	ids          []delivery.ID
	supersededBy []delivery.ID // one for each; zero: none
}

// close moves pending deliveries, whose locks the transaction holds, from the
// queue to the history.
func (e ending) close(ctx context.Context, tx pgx.Tx, shard delivery.Shard) error {
	written, err := tx.Exec(ctx, closePendingSQL, shard, e.ids, e.supersededBy, e.state, e.reason)
	if err != nil {
		return fmt.Errorf("closing pending deliveries: %w", err)
	}
	removed, err := tx.Exec(ctx, removePendingSQL, shard, e.ids)
	if err != nil {
		return fmt.Errorf("taking closed deliveries out of the queue: %w", err)
	}
	if n := int64(len(e.ids)); written.RowsAffected() != n || removed.RowsAffected() != n {
		return fmt.Errorf("closing %d pending deliveries: %d were written and %d removed", n, written.RowsAffected(), removed.RowsAffected())
	}
	return nil
}

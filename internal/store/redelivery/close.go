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

// replace adds those of an entity's open deliveries that make room for another
// one. What is being sent yields by itself, if it fails.
func (e *ending) replace(open []rival, by delivery.ID) {
	e.state, e.reason = delivery.Superseded, delivery.ReplacedByNewer
	for _, rival := range open {
		if rival.state == delivery.Pending {
			e.ids, e.supersededBy = append(e.ids, rival.id), append(e.supersededBy, by)
		}
	}
}

// close moves pending deliveries, whose locks the transaction holds, from the
// queue to the history.
func (e ending) close(ctx context.Context, tx pgx.Tx, shard delivery.Shard) error {
	if len(e.ids) == 0 {
		return nil
	}
	written, err := tx.Exec(ctx, closePendingSQL, planned, shard, e.ids, e.supersededBy, e.state, e.reason)
	if err != nil {
		return fmt.Errorf("closing pending deliveries: %w", err)
	}
	removed, err := tx.Exec(ctx, removePendingSQL, planned, shard, e.ids)
	if err != nil {
		return fmt.Errorf("taking closed deliveries out of the queue: %w", err)
	}
	if n := int64(len(e.ids)); written.RowsAffected() != n || removed.RowsAffected() != n {
		return fmt.Errorf("closing %d pending deliveries: %d were written and %d removed", n, written.RowsAffected(), removed.RowsAffected())
	}
	return nil
}

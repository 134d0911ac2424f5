package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/reopen.sql
var reopenSQL string

//go:embed queries/remove_closed.sql
var removeClosedSQL string

// planned makes a statement be planned for its parameters: only the partitions
// between the bounds of the ids are looked into.
const planned = pgx.QueryExecModeCacheDescribe

// reopen moves closed deliveries, whose locks and lanes the transaction holds,
// back into the queue, and says which: not those of whose entity a publisher put
// a newer one there at the same time.
func reopen(ctx context.Context, tx pgx.Tx, shard delivery.Shard, ids []delivery.ID, trigger delivery.Trigger) ([]delivery.ID, error) {
	first, last := bounds(ids)
	rows, _ := tx.Query(ctx, reopenSQL, planned, shard, ids, trigger, first, last)
	opened, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	if err != nil {
		return nil, fmt.Errorf("putting them into the queue: %w", err)
	}
	removed, err := tx.Exec(ctx, removeClosedSQL, planned, shard, opened)
	if err != nil {
		return nil, fmt.Errorf("taking them out of the history: %w", err)
	}
	if int64(len(opened)) != removed.RowsAffected() {
		return nil, fmt.Errorf("%d were reopened, and %d removed", len(opened), removed.RowsAffected())
	}
	return opened, nil
}

// bounds are the lowest and the highest of ids.
func bounds(ids []delivery.ID) (first, last delivery.ID) {
	for i, id := range ids {
		if i == 0 || newer(first, id) {
			first = id
		}
		if i == 0 || newer(id, last) {
			last = id
		}
	}
	return first, last
}

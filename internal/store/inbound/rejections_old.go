package inbound

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/old_rejections.sql
var oldRejectionsSQL string

// KeepRejections is how long rejections are kept, whatever the retention of
// events is.
const KeepRejections = 30 * 24 * time.Hour

// rowsAtOnce bounds a transaction.
const rowsAtOnce = 1000

// RemoveOldRejections removes rejections that are older than KeepRejections, in
// batches of 1,000 rows, and says how many: by the process's or the database's
// clock, whichever is behind, because one that jumps ahead must not cost anybody's
// history. What is counted is gone, also after an error.
func (r *Records) RemoveOldRejections(ctx context.Context, now time.Time) (removed int64, _ error) {
	var databases time.Time
	if err := r.pool.QueryRow(ctx, `SELECT now()`).Scan(&databases); err != nil {
		return 0, fmt.Errorf("asking for the database's time: %w", err)
	}
	if databases.Before(now) {
		now = databases
	}
	before := delivery.FloorID(now.Add(-KeepRejections))
	for {
		tag, err := r.pool.Exec(ctx, oldRejectionsSQL, before, rowsAtOnce)
		if err != nil {
			return removed, fmt.Errorf("removing old rejections: %w", err)
		}
		removed += tag.RowsAffected()
		if tag.RowsAffected() < rowsAtOnce {
			return removed, nil
		}
	}
}

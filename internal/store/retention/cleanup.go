package retention

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/old_lane_stats.sql
var oldLaneStatsSQL string

//go:embed queries/old_hour_stats.sql
var oldHourStatsSQL string

//go:embed queries/old_source_hours.sql
var oldSourceHoursSQL string

//go:embed queries/old_signals.sql
var oldSignalsSQL string

//go:embed queries/old_audit_log.sql
var oldAuditLogSQL string

//go:embed queries/old_recoveries.sql
var oldRecoveriesSQL string

// How long the small things are kept, whatever the retention of events is.
const (
	keepLaneStats  = 400 * day // a year ago can be compared with
	keepSignals    = 90 * day
	keepRecoveries = 90 * day
	keepAuditLog   = 400 * day // a year, and the time to ask for it
)

// rowsAtOnce bounds a transaction.
const rowsAtOnce = 1000

// CleanUp removes statistics, signals, ended recoveries and the audit log's rows that are too old, in
// batches of 1,000 rows, and says how many. By the earlier of two clocks, like
// Retire; what is counted is gone, also after an error.
func (k *Keeper) CleanUp(ctx context.Context, now time.Time) (Removed, error) {
	removed := make(Removed)
	now, err := k.earlier(ctx, now)
	if err != nil {
		return removed, err
	}
	for _, old := range []struct {
		table, sql string
		before     any
	}{
		{"lane_stats", oldLaneStatsSQL, now.Add(-keepLaneStats)},
		{"hour_stats", oldHourStatsSQL, now.Add(-keepLaneStats)},
		{"source_hours", oldSourceHoursSQL, now.Add(-keepLaneStats)},
		{"signals", oldSignalsSQL, delivery.FloorID(now.Add(-keepSignals))},
		{"audit_log", oldAuditLogSQL, delivery.FloorID(now.Add(-keepAuditLog))},
		{"recoveries", oldRecoveriesSQL, now.Add(-keepRecoveries)},
	} {
		gone, tableErr := k.removeOld(ctx, old.sql, old.before)
		if gone > 0 {
			removed[old.table] = gone
			k.log.Info("old rows were removed", "table", old.table, "rows", gone)
		}
		if tableErr != nil {
			err = cmp.Or(err, fmt.Errorf("removing old rows of %s: %w", old.table, tableErr))
		}
	}
	return removed, err
}

func (k *Keeper) removeOld(ctx context.Context, sql string, before any) (removed int64, err error) {
	for {
		rows, err := k.removing(ctx, sql, before, rowsAtOnce)
		if err != nil {
			return removed, err
		}
		removed += rows
		if rows < rowsAtOnce {
			return removed, nil
		}
	}
}

package pulse

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed queries/first_hour.sql
var firstHourSQL string

//go:embed queries/hours_missing.sql
var hoursMissingSQL string

//go:embed queries/roll_up.sql
var rollUpSQL string

// Settled is how long after its end an hour is taken for unchanging: completions
// are counted in the hour of their attempt.
const Settled = 30 * time.Minute

// hoursAtOnce bounds one call of RollUp.
const hoursAtOnce = 24

// RollUp sums up hours that are over and were not yet, the newest first, a day of
// them at most, and says how many it did. It costs a look-up per lane and hour.
// Two at once do no harm.
func (p *Pulse) RollUp(ctx context.Context, now time.Time) (done int, _ error) {
	var first *time.Time
	if err := p.pool.QueryRow(ctx, firstHourSQL).Scan(&first); err != nil {
		return 0, fmt.Errorf("looking for the first hour: %w", err)
	}
	if first == nil {
		return 0, nil
	}
	rows, _ := p.pool.Query(ctx, hoursMissingSQL, *first, now.Add(-Settled).Truncate(time.Hour), hoursAtOnce)
	hours, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return 0, fmt.Errorf("looking for hours to sum up: %w", err)
	}
	for _, hour := range hours {
		if _, err := p.pool.Exec(ctx, rollUpSQL, hour); err != nil {
			return done, fmt.Errorf("summing up the hour of %s: %w", hour.UTC().Format(time.RFC3339), err)
		}
		done++
	}
	return done, nil
}

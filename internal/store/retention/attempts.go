package retention

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed queries/attempts.sql
var attemptsSQL string

//go:embed queries/keep_attempts.sql
var keepAttemptsSQL string

// retireAttempts goes through a day of attempts. Nobody writes to one as old as
// that. A delivery that is replayed just now, and was neither open nor dead, may
// lose attempts that far back, as it was about to anyway.
func (k *Keeper) retireAttempts(ctx context.Context, d partitions, now time.Time) (removed Removed, err error) {
	k.step("go through attempts")
	keep := newSelection(keepAttemptsSQL, d, nil)
	err = k.withReader(ctx, func(from reader) error {
		return k.changing(ctx, d, withoutWriters, func(c *change) error {
			statements := d.mark(now)
			err := from.in(ctx, func(conn *pgx.Conn) error {
				var all int64
				if err := countOf(ctx, conn, attemptsSQL, d, &all); err != nil {
					return err
				}
				needed, err := keep.count(ctx, conn)
				switch {
				case err != nil:
					return err
				case needed == 0:
					removed, statements = Removed{attempts: all}, d.drop()
					return nil
				case !d.isWorthIt(all, needed):
					return nil
				}
				r, err := c.rebuild(ctx, conn, d, attempts, keep)
				removed, statements = Removed{attempts: all - r.kept}, r.exchange()+d.mark(now)
				return err
			})
			if err != nil {
				return fmt.Errorf("copying what is needed: %w", err)
			}
			if removed == nil {
				return c.exec(ctx, statements+"; COMMIT")
			}
			k.step("exchange attempts")
			return c.exchange(ctx, d.tables, statements, patientTries)
		})
	})
	if err != nil {
		return nil, err
	}
	return counted(removed), nil
}

package store

import (
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/claim_next_due.sql
var claimNextDueSQL string

// standingDue is how long until lanes of a standing have work. NULL: unknown.
type standingDue struct {
	standing    delivery.Standing
	all, others *float64 // seconds; others: without the lanes that hang
}

// queueNextDue asks when there will be more, as this transaction leaves it. For
// which lanes that matters, is known only when the claim is.
func (c *claiming) queueNextDue(batch *pgx.Batch) {
	hanging := c.room.Hanging
	if hanging == nil {
		hanging = []delivery.ID{} // NULL would exclude every lane
	}
	batch.Queue(claimNextDueSQL, standings, hanging).Query(func(rows pgx.Rows) error {
		c.due = nil
		var due standingDue
		_, err := pgx.ForEachRow(rows, []any{&due.standing, &due.all, &due.others}, func() error {
			c.due = append(c.due, due)
			return nil
		})
		return err
	})
}

// nextDue is how long until some lane has work that there is room for.
func (c *claiming) nextDue() time.Duration {
	next := delivery.NothingDue
	left := c.left()
	isHopeless := len(hopeless(left)) > 0
	for _, due := range c.due {
		seconds := due.all
		if isHopeless {
			seconds = due.others
		}
		if seconds == nil || left.For(due.standing, 1) == 0 {
			continue
		}
		if wait := max(0, time.Duration(*seconds*float64(time.Second))); next == delivery.NothingDue || wait < next {
			next = wait
		}
	}
	return next
}

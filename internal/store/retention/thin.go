package retention

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/thin_deliveries.sql
var thinDeliveriesSQL string

// errTooMuch: so much of a day is dead that copying it would hold others up.
var errTooMuch = errors.New("more of its deliveries are dead than can be copied in a moment")

// slice of a day, and how many of its deliveries are removed in one transaction.
const (
	slice  = 5 * time.Minute
	thinBy = 10_000
)

// thinDeliveries removes, in place, what is not dead of a day: as much as is dead
// of it, the table would stay large anyway. It says how many rows that were, also
// beside an error.
func (k *Keeper) thinDeliveries(ctx context.Context, d partitions) (removed int64, err error) {
	k.step("thin deliveries")
	for at := d.begin; at.Before(d.begin.Add(day)); {
		from, to := delivery.FloorID(at), delivery.FloorID(at.Add(slice))
		rows, err := k.removing(ctx, thinDeliveriesSQL, from, to, thinBy)
		if err != nil {
			return removed, fmt.Errorf("removing those of %s: %w", at.Format(time.TimeOnly), err)
		}
		removed += rows
		if rows < thinBy {
			at = at.Add(slice)
		}
	}
	return removed, nil
}

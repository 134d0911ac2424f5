package history

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/deliveries_of_events.sql
var deliveriesOfEventsSQL string

// OutcomeFilter asks for the deliveries of some events of one tenant.
type OutcomeFilter struct {
	Events     []delivery.ID // of one tenant
	EndpointID delivery.ID   // zero: all
	// After the delivery of an event that the page before ended with; zero: from
	// the first on.
	AfterEvent, AfterDelivery delivery.ID
	Limit                     int
}

// Outcomes says what became of events: their deliveries by the events' ids and
// their own, at most Limit, without their event's type. Fewer than Limit: these
// were the last.
func (r *Reader) Outcomes(ctx context.Context, filter OutcomeFilter) ([]delivery.Delivery, error) {
	if len(filter.Events) == 0 {
		return nil, nil
	}
	firsts, pasts := make([]delivery.ID, len(filter.Events)), make([]delivery.ID, len(filter.Events))
	for i, event := range filter.Events {
		firsts[i], pasts[i] = delivery.EventRange(event)
	}
	var found []delivery.Delivery
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, deliveriesOfEventsSQL, planned, filter.Events[0].Shard(), filter.Events,
			slices.MinFunc(firsts, compareIDs), slices.MaxFunc(pasts, compareIDs), firsts, pasts,
			filter.EndpointID, filter.AfterEvent, filter.AfterDelivery, filter.Limit)
		found, err = pgx.CollectRows(rows, scanDelivery)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the deliveries of events: %w", err)
	}
	return found, nil
}

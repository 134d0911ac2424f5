package history

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// MaxDeliveriesOfEvent bounds DeliveriesOfEvent; Deliveries pages through more.
const MaxDeliveriesOfEvent = 1000

// clockSkew is how far apart the clocks of publishers, workers and readers may
// be: an id carries the time of whoever made it.
const clockSkew = 24 * time.Hour

//go:embed queries/delivery_body.sql
var deliveryBodySQL string

//go:embed queries/delivery_rows.sql
var deliveryRowsSQL string

//go:embed queries/page_of_one.sql
var pageOfOneSQL string

//go:embed queries/attempts.sql
var attemptsSQL string

// Delivery gives one delivery and its attempts, by number; ErrNotFound if there
// is none.
func (r *Reader) Delivery(ctx context.Context, id delivery.ID) (*delivery.Delivery, []delivery.Attempt, error) {
	var found delivery.Delivery
	var attempts []delivery.Attempt
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		if found, err = readDelivery(ctx, tx, id); err != nil {
			return err
		}
		attempts, err = readAttempts(ctx, tx, &found)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading delivery %s: %w", id.Format(delivery.DeliveryPrefix), orNotFound(err))
	}
	return &found, attempts, nil
}

// DeliveryBody gives the exact bytes that are sent for the delivery, in its
// policy's envelope, and their content type; ErrNotFound if there is no such
// delivery, or its event is no longer kept.
func (r *Reader) DeliveryBody(ctx context.Context, found *delivery.Delivery) (body []byte, contentType string, err error) {
	row := r.store.Pool().QueryRow(ctx, deliveryBodySQL, planned, found.ID.Shard(), found.ID, found.EventID)
	if err := row.Scan(&body, &contentType); err != nil {
		return nil, "", fmt.Errorf("reading the body of delivery %s: %w", found.ID.Format(delivery.DeliveryPrefix), orNotFound(err))
	}
	return body, contentType, nil
}

func readDelivery(ctx context.Context, tx pgx.Tx, id delivery.ID) (delivery.Delivery, error) {
	one := idRange{firstID, lastID}.above(id)
	one = idRange{id, one.from}
	first, last := one.events()
	rows, _ := tx.Query(ctx, pageOfOneSQL+deliveryRowsSQL, planned, one.from, one.to, first, last, id.Shard())
	return pgx.CollectExactlyOneRow(rows, scanDelivery)
}

// readAttempts looks at no partition in which an attempt of the delivery cannot
// be: none was claimed before its event, nor after it was closed.
func readAttempts(ctx context.Context, tx pgx.Tx, of *delivery.Delivery) ([]delivery.Attempt, error) {
	from, to := floorID(of.ID.Time().Add(-clockSkew)), lastID
	if !of.ClosedAt.IsZero() {
		to = floorID(of.ClosedAt.Add(clockSkew))
	}
	rows, _ := tx.Query(ctx, attemptsSQL, planned, of.ID.Shard(), of.ID, from, to)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (delivery.Attempt, error) {
		var a delivery.Attempt
		var milliseconds int64
		err := row.Scan(&a.Number, &a.Trigger, &a.ScheduledAt, &a.Outcome.Status, &a.Outcome.Error,
			&a.Outcome.ErrorText, &a.Outcome.Response, &a.Outcome.StartedAt, &milliseconds)
		a.Outcome.Duration = time.Duration(milliseconds) * time.Millisecond
		a.ScheduledAt, a.Outcome.StartedAt = a.ScheduledAt.UTC(), a.Outcome.StartedAt.UTC()
		return a, err
	})
}

// DeliveriesOfEvent says what became of an event: its deliveries by ascending
// id, at most MaxDeliveriesOfEvent. Whether the event exists it does not say.
func (r *Reader) DeliveriesOfEvent(ctx context.Context, event delivery.ID) ([]delivery.Delivery, error) {
	filter := DeliveryFilter{EventID: event}
	var found []delivery.Delivery
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		found, err = readDeliveries(ctx, tx, filter.listing(), filter, filter.span(time.Now()), MaxDeliveriesOfEvent)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the deliveries of event %s: %w", event.Format(delivery.EventPrefix), err)
	}
	slices.Reverse(found)
	return found, nil
}

func scanDelivery(row pgx.CollectableRow) (delivery.Delivery, error) {
	var d delivery.Delivery
	var next, closed *time.Time
	err := row.Scan(&d.ID, &d.EventID, &d.EndpointID, &d.Tenant, &d.EventType, &d.State, &d.Reason, &d.Resolution,
		&d.Trigger, &d.AttemptCount, &next, &d.LastStatus, &d.LastError, &d.CoalesceKey, &d.SupersededBy, &closed)
	d.CreatedAt = d.ID.Time()
	d.NextAttemptAt, d.ClosedAt = zeroIfNull(next), zeroIfNull(closed)
	return d, err
}

func zeroIfNull(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}

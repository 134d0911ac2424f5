package history

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// EventFilter says which events to list, oldest first. Tenant is required.
type EventFilter struct {
	Tenant string
	Type   string      // exact; "": all
	Source delivery.ID // by which they came in; zero: all, and what was published

	ExternalID     string // "": all
	IdempotencyKey string // "": all

	Since time.Time   // accepted then or later; zero: from the first that is kept
	Until time.Time   // accepted before; zero: no bound
	After delivery.ID // the page before ended here; zero: the first page
	Limit int         // at most MaxLimit; 0: DefaultLimit
}

// EventPage is one page of events, without their bodies.
type EventPage struct {
	Events []delivery.Event

	// Next is the filter's After for the following page; zero: there is none
	// now. A page with a Next may be short, even empty: events that the filter
	// leaves out are looked through for a bounded time.
	Next delivery.ID

	// CompleteUntil: every matching event accepted before that instant is in
	// this page or the ones before it (D15). On the last page none accepted later is. A
	// publishing transaction that is still open holds it back, so that an event
	// committed late, with an earlier id, is never passed by. The next
	// reconciliation begins there. In whole milliseconds, which is how it is shown.
	CompleteUntil time.Time
}

//go:embed queries/event.sql
var eventSQL string

//go:embed queries/event_body.sql
var eventBodySQL string

//go:embed queries/events.sql
var eventsSQL string

//go:embed queries/events_chunk.sql
var eventsChunkSQL string

// Event gives an event without its body; ErrNotFound if there is none.
func (r *Reader) Event(ctx context.Context, id delivery.ID) (*delivery.Event, error) {
	rows, _ := r.store.Pool().Query(ctx, eventSQL, planned, id.Shard(), id)
	event, err := pgx.CollectExactlyOneRow(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("reading event %s: %w", id.Format(delivery.EventPrefix), orNotFound(err))
	}
	return &event, nil
}

// EventBody gives the exact bytes that were accepted for the event, and their
// content type; ErrNotFound if there is no such event.
func (r *Reader) EventBody(ctx context.Context, id delivery.ID) (body []byte, contentType string, err error) {
	err = r.store.Pool().QueryRow(ctx, eventBodySQL, planned, id.Shard(), id).Scan(&body, &contentType)
	if err != nil {
		return nil, "", fmt.Errorf("reading the body of event %s: %w", id.Format(delivery.EventPrefix), orNotFound(err))
	}
	return body, contentType, nil
}

// Events lists a tenant's events by ascending id (A10, D15).
func (r *Reader) Events(ctx context.Context, filter EventFilter) (EventPage, error) {
	// Before the snapshot is taken: see store.CompleteUntil.
	settled, err := r.store.CompleteUntil(ctx)
	if err != nil {
		return EventPage{}, fmt.Errorf("listing events: %w", err)
	}
	if settled = settled.Truncate(time.Millisecond); filter.Until.IsZero() || settled.Before(filter.Until) {
		filter.Until = settled
	}
	var page EventPage
	err = r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		span, err := filter.span(ctx, tx)
		if err != nil {
			return err
		}
		page, err = eventPage(ctx, tx, filter, span, time.Now().Add(r.patience))
		return err
	})
	if err != nil {
		return EventPage{}, fmt.Errorf("listing events: %w", err)
	}
	return page, nil
}

func eventPage(ctx context.Context, tx pgx.Tx, filter EventFilter, rest idRange, deadline time.Time) (EventPage, error) {
	page := EventPage{CompleteUntil: filter.Until.UTC()}
	limit := pageLimit(filter.Limit)
	for !rest.empty() {
		chunk, err := eventChunk(ctx, tx, filter, rest)
		if err != nil {
			return EventPage{}, err
		}
		found, err := readEvents(ctx, tx, filter, chunk, limit+1-len(page.Events))
		if err != nil {
			return EventPage{}, err
		}
		page.Events = append(page.Events, found...)
		if len(page.Events) > limit {
			page.Events = page.Events[:limit]
			page.Next = page.Events[limit-1].ID
			break
		}
		if rest.from = chunk.to; !rest.empty() && time.Now().After(deadline) {
			page.Next = rest.from.Before()
			break
		}
	}
	if next := page.Next; !next.IsZero() && next.Time().Before(page.CompleteUntil) {
		page.CompleteUntil = next.Time().Truncate(time.Millisecond) // later events are on later pages
	}
	return page, nil
}

// span is the ids that the filter leaves. A live idempotency key names one event;
// keys are forgotten after some days, and events later: where no live one is found,
// all are looked through.
func (f EventFilter) span(ctx context.Context, tx pgx.Tx) (idRange, error) {
	span := between(f.Since, f.Until).above(f.After)
	if f.IdempotencyKey == "" {
		return span, nil
	}
	ids, err := keyedEvents(ctx, tx, f.Tenant, f.IdempotencyKey)
	if err == nil && len(ids) == 1 {
		span = span.startingAt(ids[0]).below(successor(ids[0]))
	}
	return span, err
}

// eventsPerChunk bounds how many events that the filter leaves out one statement
// reads: types and idempotency keys have no index.
const eventsPerChunk = 10_000

// eventChunk is the beginning of a range that one statement may read.
func eventChunk(ctx context.Context, tx pgx.Tx, filter EventFilter, rest idRange) (idRange, error) {
	if filter.Type == "" && filter.IdempotencyKey == "" {
		return rest, nil
	}
	chunk := rest
	err := tx.QueryRow(ctx, eventsChunkSQL, planned,
		delivery.ShardOf(filter.Tenant), filter.Tenant, rest.from, rest.to, filter.Source, filter.ExternalID, eventsPerChunk).Scan(&chunk.to)
	if errors.Is(err, pgx.ErrNoRows) {
		return rest, nil
	}
	return chunk, err
}

func readEvents(ctx context.Context, tx pgx.Tx, filter EventFilter, span idRange, limit int) ([]delivery.Event, error) {
	rows, _ := tx.Query(ctx, eventsSQL, planned,
		delivery.ShardOf(filter.Tenant), filter.Tenant, span.from, span.to, filter.Type,
		filter.Source, filter.ExternalID, filter.IdempotencyKey, limit)
	return pgx.CollectRows(rows, scanEvent)
}

func scanEvent(row pgx.CollectableRow) (delivery.Event, error) {
	var e delivery.Event
	var headers []byte
	err := row.Scan(&e.ID, &e.Tenant, &e.Type, &e.ContentType, &e.IdempotencyKey, &e.CoalesceKey,
		&e.EntityVersion, &e.ExternalID, &e.OccurredAt, &e.AcceptedAt, &e.SourceID, &headers)
	if err != nil {
		return delivery.Event{}, err
	}
	e.OccurredAt, e.AcceptedAt = e.OccurredAt.UTC(), e.AcceptedAt.UTC()
	e.Headers, err = store.DecodeHeaders(headers)
	return e, err
}

// orNotFound gives this package's word for a row that is not there.
func orNotFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

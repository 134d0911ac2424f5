package api

import (
	"context"
	"io"
	"slices"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	ndjsonType = "application/x-ndjson"
	csvType    = "text/csv; charset=utf-8"
)

// export is one export under way: a page of events, and how far their deliveries
// have been written.
type export struct {
	history  History
	filter   EventFilter
	endpoint delivery.ID
	format   string

	events []delivery.Event  // what is left of the page
	after  delivery.Delivery // of those, the last that was written; zero: none yet
	last   bool              // the page is the last one
}

// OutcomeFilter asks for the deliveries of some events of one tenant.
type OutcomeFilter struct {
	Events     []delivery.ID
	EndpointID delivery.ID // zero: all
	// After the delivery of an event that the page before ended with; zero: from
	// the first on.
	AfterEvent, AfterDelivery delivery.ID
	Limit                     int
}

type rowWriter interface{ write([]exportRowJSON) error }

func (e *export) contentType() string {
	if e.format == "csv" {
		return csvType
	}
	return ndjsonType
}

func (e *export) rowWriter(w io.Writer) rowWriter {
	if e.format == "csv" {
		return newCSVRows(w)
	}
	return newJSONRows(w)
}

// nextEvents reads the following page of events. Pages may be empty, and not the
// last.
func (e *export) nextEvents(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	page, err := e.history.Events(ctx, e.filter)
	if err != nil {
		return err
	}
	e.events, e.after = page.Events, delivery.Delivery{}
	e.filter.After, e.last = page.Next, page.Next.IsZero()
	return nil
}

// nextRows gives some rows, perhaps none; nil: that was all.
func (e *export) nextRows(ctx context.Context) ([]exportRowJSON, error) {
	if len(e.events) == 0 {
		if e.last {
			return nil, nil
		}
		return []exportRowJSON{}, e.nextEvents(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	ids := make([]delivery.ID, len(e.events))
	for i := range e.events {
		ids[i] = e.events[i].ID
	}
	found, err := e.history.Outcomes(ctx, OutcomeFilter{
		Events: ids, EndpointID: e.endpoint, AfterEvent: e.after.EventID, AfterDelivery: e.after.ID, Limit: exportRows,
	})
	if err != nil {
		return nil, err
	}
	return e.rowsOf(found), nil
}

// rowsOf makes rows of deliveries, and of the events before the last of them that
// have none. It forgets the events that are done with.
func (e *export) rowsOf(found []delivery.Delivery) []exportRowJSON {
	rows := make([]exportRowJSON, 0, len(found)+len(e.events))
	whole := len(found) < exportRows // nothing of these events is left
	for len(e.events) > 0 {
		event := &e.events[0]
		n := 0
		for n < len(found) && found[n].EventID == event.ID {
			rows = append(rows, exportRow(event, &found[n]))
			e.after = found[n]
			n++
		}
		if n == 0 && e.endpoint.IsZero() && e.after.EventID != event.ID {
			rows = append(rows, exportRow(event, nil))
		}
		if found = found[n:]; len(found) == 0 && !whole {
			return rows // this event may have more
		}
		e.events = e.events[1:]
	}
	return slices.Clip(rows)
}

func exportRow(event *delivery.Event, d *delivery.Delivery) exportRowJSON {
	row := exportRowJSON{
		EventID: event.ID.Format(delivery.EventPrefix), Type: event.Type,
		OccurredAt: timestamp{event.OccurredAt}, AcceptedAt: timestamp{event.AcceptedAt},
		IdempotencyKey: optional(event.IdempotencyKey), ExternalID: optional(event.ExternalID),
		SourceID: optionalID(delivery.SourcePrefix, event.SourceID),
	}
	if d == nil {
		return row
	}
	row.DeliveryID, row.EndpointID = optionalID(delivery.DeliveryPrefix, d.ID), optionalID(delivery.EndpointPrefix, d.EndpointID)
	row.State, row.AttemptCount = new(string(d.State)), &d.AttemptCount
	row.LastResponseStatus, row.LastErrorCode = optional(d.LastStatus), optional(string(d.LastError))
	row.ClosedAt = timestamp{d.ClosedAt}
	if d.State == delivery.Dead || d.State == delivery.Skipped {
		row.Reason = optional(string(d.Reason))
	}
	return row
}

package api

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// EventFilter says which events to list, oldest first. Tenant is required.
type EventFilter struct {
	Tenant string
	Type   string      // exact; "": all
	Source delivery.ID // by which they came in; zero: all, and what was published

	ExternalID     string // "": all
	IdempotencyKey string // "": all

	Since time.Time // accepted then or later; zero: from the first that is kept
	Until time.Time // accepted before; zero: no bound
	After delivery.ID
	Limit int
}

// EventPage is one page of events, without their bodies.
type EventPage struct {
	Events []delivery.Event

	// Next is the filter's After for the following page; zero: there is none
	// now. A page with a Next may be short, even empty.
	Next delivery.ID

	// CompleteUntil: every matching event accepted before that instant is in
	// this page or the ones before it (D15).
	CompleteUntil time.Time
}

type eventJSON struct {
	ID             string            `json:"id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant         string            `json:"tenant" example:"acme"`
	Type           string            `json:"type" example:"invoice.paid"`
	ContentType    string            `json:"content_type" example:"application/json" doc:"Of its body, as it is delivered."`
	IdempotencyKey *string           `json:"idempotency_key" example:"invoice-42-paid" doc:"These four are as they were published; null: left out."`
	CoalesceKey    *string           `json:"coalesce_key"`
	EntityVersion  *string           `json:"entity_version"`
	ExternalID     *string           `json:"external_id"`
	SourceID       *string           `json:"source_id" example:"src_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"By which source it came in; null: it was published."`
	Headers        []eventHeaderJSON `json:"headers" doc:"What of the provider's headers is passed on with it, in their order."`
	OccurredAt     timestamp         `json:"occurred_at" nullable:"false" doc:"When it happened, by the publisher's word."`
	AcceptedAt     timestamp         `json:"accepted_at" nullable:"false" doc:"When Malote took it in."`
}

type eventHeaderJSON struct {
	Name  string `json:"name" example:"X-Github-Event"`
	Value string `json:"value" example:"push"`
}

func showEvent(e *delivery.Event) eventJSON {
	return eventJSON{
		ID: e.ID.Format(delivery.EventPrefix), Tenant: e.Tenant, Type: e.Type, ContentType: e.ContentType,
		IdempotencyKey: optional(e.IdempotencyKey), CoalesceKey: optional(e.CoalesceKey),
		EntityVersion: optional(e.EntityVersion), ExternalID: optional(e.ExternalID),
		SourceID:   optionalID(delivery.SourcePrefix, e.SourceID),
		Headers:    shown(e.Headers, func(h delivery.Header) eventHeaderJSON { return eventHeaderJSON(h) }),
		OccurredAt: timestamp{e.OccurredAt}, AcceptedAt: timestamp{e.AcceptedAt},
	}
}

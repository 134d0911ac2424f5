package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/malotehq/malote/internal/delivery"
)

type listEventsInput struct {
	Paging
	Tenant string    `query:"tenant" maxLength:"64" doc:"Required of an admin key. Other keys have their own and may leave it out."`
	Type   string    `query:"type" maxLength:"256" doc:"Only this type."`
	Since  timestamp `query:"since" nullable:"false" doc:"Accepted then or later."`
	Until  timestamp `query:"until" nullable:"false" doc:"Accepted before."`
	Source string    `query:"source" maxLength:"50" doc:"Only what came in by this source."`

	ExternalID     string `query:"external_id" maxLength:"256" doc:"Only those with this external_id; of what a source brought in, that is the provider's id."`
	IdempotencyKey string `query:"idempotency_key" maxLength:"256" doc:"Only the one with this idempotency key. While the key is remembered, for 7 days, it is found at once; later, all are looked through."`
}

type eventPath struct {
	ID string `path:"id" doc:"The event's id."`
}

type eventListJSON struct {
	Data          []eventJSON `json:"data"`
	NextCursor    *string     `json:"next_cursor" doc:"For the next page, which may be short; null: this is the last for now."`
	CompleteUntil timestamp   `json:"complete_until" nullable:"false" doc:"Every matching event accepted before this instant is in this page or the ones before it. Begin the next reconciliation with since set to it."`
}

type eventListAnswer struct{ Body eventListJSON }

type eventAnswer struct{ Body eventJSON }

func (s *server) registerEvents(r *routes) {
	handle(r, route{
		id: "list-events", method: http.MethodGet, path: "/v1/events", tag: tagEvents, need: mayRead,
		summary:     "List events, to reconcile",
		description: "Every event of a tenant, delivered or not, oldest first, without its body.",
		sample:      "tenant=acme&type=invoice.paid",
	}, s.listEvents)
	handle(r, route{
		id: "get-event", method: http.MethodGet, path: "/v1/events/{id}", tag: tagEvents, need: mayRead,
		summary: "Get an event", description: "Without its body. Its deliveries: `GET /v1/webhook_deliveries?event=…`.",
	}, s.getEvent)
	r.handleRaw(route{
		id: "get-event-body", method: http.MethodGet, path: "/v1/events/{id}/body", tag: tagEvents, need: mayRead,
		summary: "Get an event's exact bytes", description: "With the content type that it is delivered with.",
	}, describeBody("The event's id."), s.getEventBody)
}

func (s *server) listEvents(ctx context.Context, input *listEventsInput) (*eventListAnswer, error) {
	tenant, err := caller(ctx).tenantNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	if err := checkFilters(input.Type, input.Since, input.Until); err != nil {
		return nil, err
	}
	filter := EventFilter{
		Tenant: tenant, Type: input.Type, ExternalID: input.ExternalID, IdempotencyKey: input.IdempotencyKey,
		Since: input.Since.Time, Until: input.Until.Time, Limit: input.Limit,
	}
	if input.Source != "" {
		if filter.Source, err = idIn("source", delivery.SourcePrefix, input.Source); err != nil {
			return nil, err
		}
	}
	list := listOf("events", tenant, input.Type, instantFilter(input.Since), instantFilter(input.Until),
		input.Source, input.ExternalID, input.IdempotencyKey)
	if filter.After, err = list.afterID(input.Cursor); err != nil {
		return nil, err
	}
	page, err := s.History.Events(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &eventListAnswer{eventListJSON{
		Data:       shown(page.Events, func(e delivery.Event) eventJSON { return showEvent(&e) }),
		NextCursor: list.idCursor(page.Next), CompleteUntil: timestamp{page.CompleteUntil},
	}}, nil
}

// checkFilters checks the filters that events and deliveries share.
func checkFilters(eventType string, since, until timestamp) error {
	if eventType != "" && !delivery.ValidType(eventType) {
		return fault("type", "must be a type such as invoice.paid: letters, digits, _, . and -")
	}
	return checkSpan(since, until)
}

func checkSpan(since, until timestamp) error {
	if !since.IsZero() && !until.IsZero() && !since.Before(until.Time) {
		return fault("until", "must be later than since")
	}
	return nil
}

func instantFilter(at timestamp) string {
	if at.IsZero() {
		return ""
	}
	return strconv.FormatInt(at.UnixNano(), 36)
}

func (s *server) getEvent(ctx context.Context, input *eventPath) (*eventAnswer, error) {
	event, err := s.eventAt(ctx, caller(ctx), input.ID)
	if err != nil {
		return nil, err
	}
	return &eventAnswer{showEvent(event)}, nil
}

// eventAt finds the event that a path names, if it is the caller's.
func (s *server) eventAt(ctx context.Context, who principal, shown string) (*delivery.Event, error) {
	id, err := idAt(delivery.EventPrefix, shown)
	if err != nil {
		return nil, err
	}
	event, err := s.History.Event(ctx, id)
	if err != nil {
		return nil, err
	}
	if !who.owner().Owns(event.Tenant) {
		return nil, problem(NotFound, "")
	}
	return event, nil
}

package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Signal is something that somebody should hear of.
type Signal struct {
	ID         delivery.ID
	Tenant     string
	Kind       string
	Detail     string
	EndpointID delivery.ID // zero: it concerns none
	DeliveryID delivery.ID // zero: it concerns none
	EventID    delivery.ID // zero: it concerns none
	EventType  string
	CreatedAt  time.Time
}

// SignalFilter says which signals to list, newest first.
type SignalFilter struct {
	Tenant string // "": every tenant's
	Kind   string // "": every kind
	Since  time.Time

	EndpointID delivery.ID // zero: of whatever endpoint, or none

	Before delivery.ID // the page before ended here; zero: the first page
	Limit  int
}

// SignalPage is one page of signals.
type SignalPage struct {
	Signals []Signal
	Next    delivery.ID // Before of the following page; zero: there is none
}

type signalJSON struct {
	ID         string    `json:"id" example:"sig_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant     string    `json:"tenant" example:"acme"`
	Kind       string    `json:"kind" example:"delivery_dead" doc:"delivery_dead, many_failures, dead_unattended, endpoint_failing, endpoint_disabled, circuit_opened, circuit_closed, lag_high, lag_recovered, relay_lagging or relay_recovered."`
	Detail     string    `json:"detail" example:"attempts_exhausted" doc:"What there is to know, in short."`
	EndpointID *string   `json:"endpoint_id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	DeliveryID *string   `json:"delivery_id" example:"whd_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	EventID    *string   `json:"event_id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	EventType  *string   `json:"event_type" example:"invoice.paid"`
	CreatedAt  timestamp `json:"created_at" nullable:"false"`
}

func showSignal(s Signal) signalJSON {
	return signalJSON{
		ID: s.ID.Format(delivery.SignalPrefix), Tenant: s.Tenant, Kind: s.Kind, Detail: s.Detail,
		EndpointID: optionalID(delivery.EndpointPrefix, s.EndpointID), DeliveryID: optionalID(delivery.DeliveryPrefix, s.DeliveryID),
		EventID: optionalID(delivery.EventPrefix, s.EventID), EventType: optional(s.EventType), CreatedAt: timestamp{s.CreatedAt},
	}
}

type listSignalsInput struct {
	Paging
	Tenant   string    `query:"tenant" maxLength:"64" doc:"Only this tenant's."`
	Kind     string    `query:"kind" maxLength:"40" doc:"Only of this kind."`
	Endpoint string    `query:"endpoint" maxLength:"50" doc:"Only about this endpoint."`
	Since    timestamp `query:"since" doc:"Only those of then or later."`
}

func (s *server) registerSignals(r *routes) {
	handle(r, route{
		id: "list-signals", method: http.MethodGet, path: "/v1/signals", tag: tagSignals, need: mayRead,
		summary: "List what somebody should hear of",
		description: "Newest first: deliveries that died, tenants with many failures, dead deliveries that nobody looks after, " +
			"endpoints that fail or were disabled, circuits that opened and closed; and, of the tenant malote, what is late as a whole.",
		sample: "tenant=acme&kind=delivery_dead",
	}, s.listSignals)
}

func (s *server) listSignals(ctx context.Context, input *listSignalsInput) (*listAnswer[signalJSON], error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	filter := SignalFilter{Kind: input.Kind, Since: input.Since.Time, Limit: input.Limit}
	filter.Tenant, _ = owner.Tenant()
	if input.Endpoint != "" {
		if filter.EndpointID, err = idIn("endpoint", delivery.EndpointPrefix, input.Endpoint); err != nil {
			return nil, err
		}
	}
	list := listOf("signals", filter.Tenant, filter.Kind, instantFilter(input.Since), input.Endpoint)
	if filter.Before, err = list.afterID(input.Cursor); err != nil {
		return nil, err
	}
	page, err := s.Signals.Signals(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &listAnswer[signalJSON]{Body: listJSON[signalJSON]{
		Data: shown(page.Signals, showSignal), NextCursor: list.idCursor(page.Next),
	}}, nil
}

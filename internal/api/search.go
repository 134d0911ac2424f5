package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/malotehq/malote/internal/delivery"
)

// found is one thing that a text names.
type found struct {
	kind   string
	id     string
	tenant string
	title  string
	by     string // what of it the text is
}

type foundJSON struct {
	Kind    string `json:"kind" enum:"event,webhook_delivery,webhook_endpoint,source,recovery,tenant" example:"event"`
	ID      string `json:"id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant  string `json:"tenant" example:"acme"`
	Title   string `json:"title" example:"invoice.paid" doc:"For people: an event's type, a delivery's type and state, an endpoint's URL, a source's or tenant's name."`
	Matched string `json:"matched" enum:"id,idempotency_key,external_id" example:"id" doc:"What of it the text is."`
}

type searchJSON struct {
	Data        []foundJSON `json:"data" doc:"Few: what a text names exactly."`
	NeedsTenant bool        `json:"needs_tenant" doc:"Whether external ids were left out, because an admin key named no tenant: they are indexed by tenant."`
}

type searchInput struct {
	Q      string `query:"q" required:"true" minLength:"1" maxLength:"300" doc:"As it was pasted: an id of an event (also a webhook-id as a receiver saw it), delivery, endpoint, source or recovery, in either form; a tenant's id; an idempotency key, also outbox: and the UUID that malote.publish() gave, or that UUID alone; an external_id."`
	Tenant string `query:"tenant" maxLength:"64" doc:"Only this tenant's."`
}

type searchAnswer struct{ Body searchJSON }

func (s *server) registerSearch(r *routes) {
	handle(r, route{
		id: "search", method: http.MethodGet, path: "/v1/search", tag: tagEvents, need: mayRead,
		summary: "Find what a text names",
		description: "By its exact id, or the name that a publisher or provider gave it. Idempotency keys are found as long as they are " +
			"remembered, for 7 days. What is not the caller's is not found.",
		sample: "q=invoice-42-paid&tenant=acme",
	}, s.search)
}

func (s *server) search(ctx context.Context, input *searchInput) (*searchAnswer, error) {
	who := caller(ctx)
	owner, err := who.ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	look := lookup{server: s, owner: owner}
	text := strings.Trim(strings.TrimSpace(input.Q), `"'`)
	for _, step := range []func(context.Context, string) error{look.byID, look.byTenant, look.byKey, look.byExternalID} {
		if err := step(ctx, text); err != nil {
			return nil, err
		}
	}
	_, everybody := owner.Tenant()
	return &searchAnswer{searchJSON{
		Data:        shown(look.found, func(f found) foundJSON { return foundJSON{f.kind, f.id, f.tenant, f.title, f.by} }),
		NeedsTenant: everybody,
	}}, nil
}

// lookup gathers what a text names of the owner's.
type lookup struct {
	*server
	owner Owner
	found []found
	seen  map[string]bool
}

func (l *lookup) add(f found) {
	if !l.owner.Owns(f.tenant) || l.seen[f.id] {
		return
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[f.id] = true
	l.found = append(l.found, f)
}

// missing takes "there is none" for an answer.
func (l *lookup) missing(ctx context.Context, err error) error {
	if err == nil || l.problemOf(ctx, "search", err).Status == http.StatusNotFound {
		return nil
	}
	return err
}

// byID looks where the prefix says, or, for a bare UUID, everywhere.
func (l *lookup) byID(ctx context.Context, text string) error {
	for _, place := range []struct {
		prefix delivery.Prefix
		look   func(context.Context, delivery.ID) error
	}{
		{delivery.EventPrefix, l.event}, {delivery.DeliveryPrefix, l.delivery}, {delivery.EndpointPrefix, l.endpoint},
		{delivery.SourcePrefix, l.source}, {delivery.RecoveryPrefix, l.recovery},
	} {
		id, err := delivery.ParseID(place.prefix, text)
		if err != nil {
			if id, err = delivery.ParseUUID(text); err != nil {
				continue
			}
		}
		if err := l.missing(ctx, place.look(ctx, id)); err != nil {
			return err
		}
	}
	return nil
}

func (l *lookup) event(ctx context.Context, id delivery.ID) error {
	event, err := l.History.Event(ctx, id)
	if err == nil {
		l.addEvent(event, "id")
	}
	return err
}

func (l *lookup) addEvent(event *delivery.Event, by string) {
	l.add(found{"event", event.ID.Format(delivery.EventPrefix), event.Tenant, event.Type, by})
}

func (l *lookup) delivery(ctx context.Context, id delivery.ID) error {
	d, _, err := l.History.Delivery(ctx, id)
	if err == nil {
		l.add(found{"webhook_delivery", id.Format(delivery.DeliveryPrefix), d.Tenant, d.EventType + ", " + string(d.State), "id"})
	}
	return err
}

func (l *lookup) endpoint(ctx context.Context, id delivery.ID) error {
	endpoint, err := l.Endpoints.Endpoint(ctx, l.owner, id)
	if err == nil {
		l.add(found{"webhook_endpoint", id.Format(delivery.EndpointPrefix), endpoint.Tenant, endpoint.URL, "id"})
	}
	return err
}

func (l *lookup) source(ctx context.Context, id delivery.ID) error {
	source, err := l.Sources.Source(ctx, l.owner, id)
	if err == nil {
		l.add(found{"source", id.Format(delivery.SourcePrefix), source.Tenant, source.Name, "id"})
	}
	return err
}

func (l *lookup) recovery(ctx context.Context, id delivery.ID) error {
	job, err := l.Recoveries.Recovery(ctx, id)
	if err == nil {
		l.add(found{"recovery", id.Format(delivery.RecoveryPrefix), job.Tenant, job.Status, "id"})
	}
	return err
}

func (l *lookup) byTenant(ctx context.Context, text string) error {
	if !delivery.ValidTenant(text) || !l.owner.Owns(text) {
		return nil
	}
	tenant, err := l.Tenants.Tenant(ctx, text)
	if err == nil {
		l.add(found{"tenant", tenant.ID, tenant.ID, tenant.Name, "id"})
	}
	return l.missing(ctx, err)
}

// outboxKey is in front of the outbox id in the idempotency key that an event has
// if its publisher gave none.
const outboxKey = "outbox:"

func (l *lookup) byKey(ctx context.Context, text string) error {
	keys := []string{text}
	if delivery.IsUUID(text) {
		keys = append(keys, outboxKey+strings.ToLower(text))
	}
	tenant, _ := l.owner.Tenant()
	for _, key := range keys {
		events, err := l.History.EventsByKey(ctx, tenant, key)
		if err != nil {
			return err
		}
		for i := range events {
			l.addEvent(&events[i], "idempotency_key")
		}
	}
	return nil
}

// externalIDs is how many events with one external id are shown.
const externalIDs = 20

func (l *lookup) byExternalID(ctx context.Context, text string) error {
	tenant, everybody := l.owner.Tenant()
	if everybody {
		return nil
	}
	page, err := l.History.Events(ctx, EventFilter{Tenant: tenant, ExternalID: text, Limit: externalIDs})
	if err != nil {
		return err
	}
	for i := range page.Events {
		l.addEvent(&page.Events[i], "external_id")
	}
	return nil
}

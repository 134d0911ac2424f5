package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func (m *memory) CreateEndpoint(_ context.Context, e NewEndpoint, defaults Defaults, once Once) (Endpoint, bool, error) {
	end, err := m.begin()
	defer end()
	if err != nil {
		return Endpoint{}, false, err
	}
	if _, known := m.tenants[e.Tenant]; !known {
		return Endpoint{}, false, delivery.ErrUnknownTenant
	}
	id, first, err := m.first("endpoint:"+e.Tenant, once, newID(e.Tenant))
	if err != nil || !first {
		return m.endpoints[id], false, err
	}
	m.defaults = append(m.defaults, defaults)
	made := Endpoint{Endpoint: delivery.Endpoint{
		ID: id, Tenant: e.Tenant, URL: e.URL, Policy: e.Policy, EventTypes: e.EventTypes, MaxInFlight: e.MaxInFlight,
		Headers: e.Headers, AtMostOnce: e.AtMostOnce, Description: e.Description, Metadata: e.Metadata,
		Filter: e.Filter, FIFO: defaults.FIFO, Status: delivery.Active, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}, Rate: cmp.Or(e.RateLimit, defaults.RateLimit)}
	if e.FIFO != nil {
		made.FIFO = *e.FIFO
	}
	made.Circuit = circuit.Closed
	made.SecretHeaders = m.keepSecretHeaders(id, e.SecretHeaders)
	made.Limit = max(e.MaxInFlight, 0)
	if made.Limit == 0 {
		made.Limit = defaults.MaxInFlight
	}
	made.LimitNow = made.Limit
	for _, value := range e.Secrets {
		made.Secrets = append(made.Secrets, delivery.Secret{ID: newID(e.Tenant), Value: value, CreatedAt: time.Now()})
	}
	stored := made
	stored.Secrets = nil
	m.endpoints[id] = stored
	return made, true, nil
}

func (m *memory) find(owner Owner, id delivery.ID) (Endpoint, error) {
	endpoint, known := m.endpoints[id]
	if m.broken != nil {
		return Endpoint{}, m.broken
	}
	if !known || !owner.Owns(endpoint.Tenant) {
		return Endpoint{}, errMissing
	}
	return endpoint, nil
}

func (m *memory) Endpoint(_ context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	end, _ := m.begin()
	defer end()
	endpoint, err := m.find(owner, id)
	endpoint.Counted, endpoint.Pending, endpoint.OldestPendingSince = true, 7, time.Now().Add(-90*time.Second)
	return endpoint, err
}

func (m *memory) Endpoints(_ context.Context, owner Owner, page Page, _ EndpointFilter) ([]Endpoint, bool, error) {
	end, err := m.begin()
	defer end()
	var endpoints []Endpoint
	for _, endpoint := range m.endpoints {
		if owner.Owns(endpoint.Tenant) {
			endpoints = append(endpoints, endpoint)
		}
	}
	endpoints, more := cutPage(endpoints, page, func(e Endpoint) delivery.ID { return e.ID })
	return endpoints, more, err
}

func (m *memory) change(owner Owner, id delivery.ID, change func(*Endpoint)) (Endpoint, error) {
	end, _ := m.begin()
	defer end()
	endpoint, err := m.find(owner, id)
	if err == nil {
		change(&endpoint)
		m.endpoints[id] = endpoint
	}
	return endpoint, err
}

func (m *memory) UpdateEndpoint(_ context.Context, owner Owner, id delivery.ID, patch EndpointPatch, defaults Defaults) (Endpoint, error) {
	return m.change(owner, id, func(e *Endpoint) {
		m.defaults = append(m.defaults, defaults)
		if patch.URL != nil {
			e.URL = *patch.URL
		}
		if patch.Policy != nil {
			e.Policy = *patch.Policy
		}
		if patch.Headers != nil {
			e.Headers = *patch.Headers
		}
		if patch.RateLimit != nil {
			e.Rate = *patch.RateLimit
		}
		if patch.FIFO != nil {
			e.FIFO = *patch.FIFO
		}
		if patch.Filter != nil {
			e.Filter = *patch.Filter
		}
		if patch.SecretHeaders != nil {
			values := make(map[string]string)
			for name, value := range *patch.SecretHeaders {
				if value == nil {
					value = new(m.secretHeaders[id][name])
				}
				values[name] = *value
			}
			e.SecretHeaders = m.keepSecretHeaders(id, values)
		}
	})
}

func (m *memory) keepSecretHeaders(id delivery.ID, values map[string]string) []string {
	if m.secretHeaders == nil {
		m.secretHeaders = make(map[delivery.ID]map[string]string)
	}
	m.secretHeaders[id] = values
	return slices.Sorted(maps.Keys(values))
}

func (m *memory) DeleteEndpoint(_ context.Context, owner Owner, id delivery.ID) error {
	end, _ := m.begin()
	defer end()
	_, err := m.find(owner, id)
	if err == nil {
		delete(m.endpoints, id)
	}
	return err
}

func (m *memory) EnableEndpoint(_ context.Context, owner Owner, id delivery.ID) (Endpoint, int, error) {
	endpoint, err := m.setStatus(owner, id, delivery.Active)
	return endpoint, 3, err
}

func (m *memory) DisableEndpoint(_ context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	return m.setStatus(owner, id, delivery.DisabledByUser)
}

func (m *memory) PauseEndpoint(_ context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	return m.setStatus(owner, id, delivery.Paused)
}

func (m *memory) ResumeEndpoint(_ context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	return m.setStatus(owner, id, delivery.Active)
}

func (m *memory) setStatus(owner Owner, id delivery.ID, status delivery.EndpointStatus) (Endpoint, error) {
	return m.change(owner, id, func(e *Endpoint) { e.Status = status })
}

func (m *memory) AddSecret(_ context.Context, owner Owner, endpoint delivery.ID, value string, once Once) (delivery.Secret, bool, error) {
	return m.RotateSecret(context.Background(), owner, endpoint, value, -1, once)
}

func (m *memory) RotateSecret(_ context.Context, owner Owner, endpoint delivery.ID, value string, overlap time.Duration, once Once) (made delivery.Secret, created bool, err error) {
	_, missing := m.change(owner, endpoint, func(e *Endpoint) {
		m.overlaps = append(m.overlaps, overlap)
		var id delivery.ID
		if id, created, err = m.first("secret:"+endpoint.String(), once, newID(e.Tenant)); err != nil {
			return
		}
		made = delivery.Secret{ID: id, CreatedAt: time.Now()}
		if created {
			made.Value = value
			e.Secrets = append(e.Secrets, delivery.Secret{ID: id, CreatedAt: made.CreatedAt})
		}
	})
	return made, created, errors.Join(missing, err)
}

func (m *memory) Secrets(_ context.Context, owner Owner, endpoint delivery.ID) ([]delivery.Secret, error) {
	found, err := m.change(owner, endpoint, func(*Endpoint) {})
	return found.Secrets, err
}

func (m *memory) RevokeSecret(_ context.Context, owner Owner, endpoint, secret delivery.ID) error {
	found := false
	_, err := m.change(owner, endpoint, func(e *Endpoint) {
		before := len(e.Secrets)
		e.Secrets = slices.DeleteFunc(e.Secrets, func(s delivery.Secret) bool { return s.ID == secret })
		found = len(e.Secrets) < before
	})
	if err == nil && !found {
		return errMissing
	}
	return err
}

func (m *memory) CreatePolicy(_ context.Context, name, source string, _ Once) (StoredPolicy, bool, error) {
	end, err := m.begin()
	defer end()
	stored := StoredPolicy{Name: name, Source: source, CreatedAt: time.Now()}
	m.policies[name] = stored
	return stored, true, err
}

func (m *memory) Policy(_ context.Context, name string) (StoredPolicy, error) {
	end, err := m.begin()
	defer end()
	err = errors.Join(err, textual(name))
	stored, known := m.policies[name]
	if err == nil && !known {
		err = errNoPolicy
	}
	return stored, err
}

func (m *memory) Policies(context.Context) ([]StoredPolicy, error) {
	end, err := m.begin()
	defer end()
	var all []StoredPolicy
	for _, stored := range m.policies {
		all = append(all, stored)
	}
	return all, err
}

func (m *memory) Event(_ context.Context, id delivery.ID) (*delivery.Event, error) {
	end, err := m.begin()
	defer end()
	at := slices.IndexFunc(m.events, func(e delivery.Event) bool { return e.ID == id })
	if err != nil || at < 0 {
		return nil, errors.Join(err, errMissing)
	}
	return &m.events[at], nil
}

func (m *memory) EventBody(_ context.Context, id delivery.ID) ([]byte, string, error) {
	event, err := m.Event(context.Background(), id)
	if err != nil {
		return nil, "", err
	}
	return event.Body, event.ContentType, nil
}

func (m *memory) DeliveryBody(ctx context.Context, found *delivery.Delivery) ([]byte, string, error) {
	return m.EventBody(ctx, found.EventID)
}

func (m *memory) Events(_ context.Context, f EventFilter) (EventPage, error) {
	end, err := m.begin()
	defer end()
	events := slices.DeleteFunc(slices.Clone(m.events), func(e delivery.Event) bool {
		return e.Tenant != f.Tenant || f.Type != "" && e.Type != f.Type || f.ExternalID != "" && e.ExternalID != f.ExternalID ||
			f.IdempotencyKey != "" && e.IdempotencyKey != f.IdempotencyKey || !f.Source.IsZero() && e.SourceID != f.Source
	})
	events, more := cutPage(events, Page{After: f.After, Limit: f.Limit}, func(e delivery.Event) delivery.ID { return e.ID })
	page := EventPage{Events: events, CompleteUntil: time.Now().Add(-time.Minute)}
	if more {
		page.Next = events[len(events)-1].ID
	}
	return page, err
}

func (m *memory) EventsByKey(_ context.Context, tenant, key string) ([]delivery.Event, error) {
	end, err := m.begin()
	defer end()
	return slices.DeleteFunc(slices.Clone(m.events), func(e delivery.Event) bool {
		return tenant != "" && e.Tenant != tenant || e.IdempotencyKey != key
	}), err
}

func (m *memory) Delivery(_ context.Context, id delivery.ID) (*delivery.Delivery, []delivery.Attempt, error) {
	end, err := m.begin()
	defer end()
	at := slices.IndexFunc(m.deliveries, func(d delivery.Delivery) bool { return d.ID == id })
	if err != nil || at < 0 {
		return nil, nil, errors.Join(err, errMissing)
	}
	return &m.deliveries[at], m.attempts[id], nil
}

func (m *memory) Deliveries(_ context.Context, f DeliveryFilter) (DeliveryPage, error) {
	end, err := m.begin()
	defer end()
	found := slices.DeleteFunc(slices.Clone(m.deliveries), func(d delivery.Delivery) bool {
		return f.Tenant != "" && d.Tenant != f.Tenant || !f.EventID.IsZero() && d.EventID != f.EventID ||
			!f.EndpointID.IsZero() && d.EndpointID != f.EndpointID || f.State != "" && d.State != f.State ||
			f.Reason != "" && d.Reason != f.Reason || f.ErrorCode != "" && d.LastError != f.ErrorCode
	})
	found, more := cutPage(found, Page{After: f.After, Limit: f.Limit}, func(d delivery.Delivery) delivery.ID { return d.ID })
	page := DeliveryPage{Deliveries: found}
	if more {
		page.Next = found[len(found)-1].ID
	}
	return page, err
}

func (m *memory) Outcomes(_ context.Context, f OutcomeFilter) ([]delivery.Delivery, error) {
	end, err := m.begin()
	defer end()
	m.outcomes = append(m.outcomes, f)
	compare := func(a, b delivery.Delivery) int {
		return cmp.Or(slices.Compare(a.EventID[:], b.EventID[:]), slices.Compare(a.ID[:], b.ID[:]))
	}
	after := delivery.Delivery{EventID: f.AfterEvent, ID: f.AfterDelivery}
	found := slices.DeleteFunc(slices.Clone(m.deliveries), func(d delivery.Delivery) bool {
		return !slices.Contains(f.Events, d.EventID) || !f.EndpointID.IsZero() && d.EndpointID != f.EndpointID || compare(d, after) <= 0
	})
	slices.SortFunc(found, compare)
	return found[:min(f.Limit, len(found))], err
}

func (m *memory) Replay(_ context.Context, ids []delivery.ID, tenant string, preview bool) (Replay, error) {
	end, err := m.begin()
	defer end()
	replay := Replay{Done: !preview}
	for _, id := range ids {
		result := Replayed{ID: id, Refusal: m.replayable(id)}
		at := slices.IndexFunc(m.deliveries, func(d delivery.Delivery) bool { return d.ID == id })
		if at < 0 || tenant != "" && m.deliveries[at].Tenant != tenant {
			result.Refusal = ReplayNotFound
		} else {
			result.Tenant, result.State = m.deliveries[at].Tenant, m.deliveries[at].State
		}
		replay.Done = replay.Done && result.Refusal == ""
		replay.Results = append(replay.Results, result)
	}
	return replay, err
}

func (m *memory) Resolve(_ context.Context, id delivery.ID, reason string) error {
	found, _, err := m.Delivery(context.Background(), id)
	if err != nil {
		return err
	}
	if found.State != delivery.Dead {
		return errNotDead
	}
	m.resolved[id] = reason
	return nil
}

func (m *memory) Discard(_ context.Context, endpoint delivery.ID) (int, error) {
	end, err := m.begin()
	defer end()
	m.discarded = append(m.discarded, endpoint)
	return 5, err
}

func (m *memory) SendTest(_ context.Context, endpoint delivery.ID) (delivery.ID, delivery.Attempt, error) {
	end, err := m.begin()
	defer end()
	return newID(m.endpoints[endpoint].Tenant), delivery.Attempt{
		Number: 1, Trigger: delivery.TriggerTest, ScheduledAt: time.Now(),
		Outcome: delivery.Outcome{
			Status: 503, Error: delivery.HTTPStatus, Response: []byte("busy \xff"),
			StartedAt: time.Now(), Duration: 12 * time.Millisecond,
		},
	}, err
}

func (m *memory) Ready(context.Context) error {
	end, err := m.begin()
	defer end()
	return err
}

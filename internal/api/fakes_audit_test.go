package api

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

func (m *memory) RecordAct(ctx context.Context, act Act) error {
	end, err := m.begin()
	defer end()
	if err = errors.Join(err, m.actErr, ctx.Err()); err != nil {
		return err
	}
	m.acts = append(m.acts, act)
	for _, subject := range act.Subjects {
		m.audited = append(m.audited, AuditEntry{
			ID: newID(subject.Tenant), Actor: act.Actor, ByOperator: act.ByOperator, Operation: act.Operation,
			Address: act.Address.String(), Subject: subject, At: time.Now(),
		})
	}
	return nil
}

func (m *memory) AuditLog(_ context.Context, filter AuditFilter) (AuditPage, error) {
	end, err := m.begin()
	defer end()
	m.auditFilters = append(m.auditFilters, filter)
	var page AuditPage
	for _, e := range slices.Backward(m.audited) {
		if filter.Tenant != "" && e.Tenant != filter.Tenant || filter.Operation != "" && e.Operation != filter.Operation {
			continue
		}
		if filter.Before != (delivery.ID{}) && slices.Compare(e.ID[:], filter.Before[:]) >= 0 {
			continue
		}
		if len(page.Entries) == filter.Limit {
			page.Next = page.Entries[filter.Limit-1].ID
			break
		}
		page.Entries = append(page.Entries, e)
	}
	return page, err
}

// lastAct forgets the acts so far but the last.
func (m *memory) lastAct() Act {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.acts) == 0 {
		return Act{}
	}
	act := m.acts[len(m.acts)-1]
	m.acts = nil
	return act
}

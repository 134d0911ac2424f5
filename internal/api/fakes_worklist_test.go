package api

import (
	"context"

	"github.com/malotehq/malote/internal/delivery"
)

func (m *memory) Worklist(ctx context.Context, asked Worklist) (DeliveryPage, error) {
	m.worklist = asked
	return m.Deliveries(ctx, DeliveryFilter{
		Tenant: asked.Tenant, EndpointID: asked.EndpointID, Reason: asked.Reason, ErrorCode: asked.ErrorCode,
		State: delivery.Dead, After: asked.After, Limit: asked.Limit,
	})
}

func (m *memory) ResolveMany(ctx context.Context, ids []delivery.ID, tenant, reason string) ([]Resolved, error) {
	results := make([]Resolved, len(ids))
	for i, id := range ids {
		results[i].ID = id
		found, _, err := m.Delivery(ctx, id)
		if err != nil || tenant != "" && found.Tenant != tenant {
			continue
		}
		results[i].Tenant, results[i].State = found.Tenant, found.State
		if m.Resolve(ctx, id, reason) == nil {
			results[i].State, results[i].Done = delivery.Resolved, true
		}
	}
	return results, nil
}

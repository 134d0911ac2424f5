package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
)

// Resolved is what became of one of several deliveries.
type Resolved struct {
	ID     delivery.ID
	Tenant string         // "" if it was not found
	State  delivery.State // that it has now; "": it was not found
	Done   bool           // it was dead, and is resolved now
}

type resolveManyRequestJSON struct {
	IDs    []string `json:"ids" minItems:"1" maxItems:"50" maxLength:"50" doc:"The deliveries' ids."`
	Reason string   `json:"reason" doc:"Why nothing needs to be sent: 10 to 1,000 characters. It is kept with each."`
}

type resolvedJSON struct {
	ID       string  `json:"id" example:"whd_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	State    *string `json:"state" example:"resolved" doc:"The state that it has now; null: there is no such delivery."`
	Resolved bool    `json:"resolved" doc:"Whether it was dead, and is resolved now."`
}

type resolveManyResultJSON struct {
	Data     []resolvedJSON `json:"data" doc:"In the order of the request."`
	Resolved int            `json:"resolved" example:"1" doc:"How many were resolved."`
}

type resolveManyInput struct{ Body resolveManyRequestJSON }

type resolveManyAnswer struct{ Body resolveManyResultJSON }

func (s *server) registerResolveMany(r *routes) {
	handle(r, route{
		id: "resolve-webhook-deliveries", method: http.MethodPost, path: "/v1/webhook_deliveries/resolve",
		tag: tagDeliveries, need: mayManage, summary: "Resolve up to 50 dead deliveries",
		description: "Nothing is sent; those that are dead leave the list of dead ones, each with the reason. Others stay as they are: the answer says which.",
		sample:      `{"ids": ["$DELIVERY_ID"], "reason": "Settled by phone with the customer."}`,
	}, s.resolveMany)
}

func (s *server) resolveMany(ctx context.Context, input *resolveManyInput) (*resolveManyAnswer, error) {
	reason, err := resolutionIn(input.Body.Reason)
	if err != nil {
		return nil, err
	}
	ids := make([]delivery.ID, len(input.Body.IDs))
	for i, shown := range input.Body.IDs {
		if ids[i], err = idIn(fmt.Sprintf("ids[%d]", i), delivery.DeliveryPrefix, shown); err != nil {
			return nil, err
		}
	}
	tenant, _ := caller(ctx).owner().Tenant()
	results, err := s.Redelivery.ResolveMany(ctx, ids, tenant, reason)
	if err != nil {
		return nil, err
	}
	answer := &resolveManyAnswer{}
	for _, one := range results {
		if one.Done {
			answer.Body.Resolved++
			changed(ctx, subjectOfDelivery(one.Tenant, one.ID, ""))
		}
	}
	if answer.Body.Resolved == 0 {
		changedNothing(ctx)
	}
	answer.Body.Data = shown(results, func(r Resolved) resolvedJSON {
		return resolvedJSON{ID: r.ID.Format(delivery.DeliveryPrefix), State: optional(string(r.State)), Resolved: r.Done}
	})
	return answer, nil
}

package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

type policyEndpointsInput struct {
	Paging
	Name   string `path:"name" doc:"The policy's name."`
	Tenant string `query:"tenant" maxLength:"64" doc:"Only this tenant's endpoints."`
}

func (s *server) registerPolicyEndpoints(r *routes) {
	handle(r, route{
		id: "list-webhook-endpoints-of-policy", method: http.MethodGet, path: "/v1/policies/{name}/webhook_endpoints", tag: tagPolicies, need: mayRead,
		summary: "List the endpoints that have a policy", description: "Oldest first, without counts of what is pending.",
	}, s.listPolicyEndpoints)
}

func (s *server) listPolicyEndpoints(ctx context.Context, input *policyEndpointsInput) (*listAnswer[endpointJSON], error) {
	who := caller(ctx)
	owner, err := who.ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	if _, isPreset := policy.Preset(input.Name); !isPreset {
		if _, err := s.storedPolicy(ctx, input.Name); err != nil {
			return nil, err
		}
	}
	list := listOf("endpoints of a policy", input.Name, input.Tenant)
	after, err := list.afterID(input.Cursor)
	if err != nil {
		return nil, err
	}
	endpoints, more, err := s.Endpoints.EndpointsOfPolicy(ctx, owner, input.Name, Page{After: after, Limit: input.Limit})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	answer := &listAnswer[endpointJSON]{Body: listJSON[endpointJSON]{
		Data: shown(endpoints, func(e Endpoint) endpointJSON { return showEndpoint(e, who, now) }),
	}}
	if more {
		answer.Body.NextCursor = list.idCursor(endpoints[len(endpoints)-1].ID)
	}
	return answer, nil
}

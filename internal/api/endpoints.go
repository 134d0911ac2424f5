package api

import (
	"context"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

type endpointPath struct {
	ID string `path:"id" doc:"The endpoint's id."`
}

// EndpointFilter narrows a list of endpoints; the zero value does not.
type EndpointFilter struct {
	Status  delivery.EndpointStatus // "": any
	Circuit circuit.Phase           // at this moment; "": any
	Text    string                  // in the URL or the description, in whatever case
	Policy  string                  // its name; "": any

	Counted bool // add the counts, whose cost grows with the backlogs
}

type listEndpointsInput struct {
	Paging
	Tenant  string `query:"tenant" maxLength:"64" doc:"Only this tenant's endpoints."`
	Status  string `query:"status" enum:"active,paused,disabled_by_user,disabled_by_system" doc:"Only those with this status."`
	Circuit string `query:"circuit" enum:"closed,open,half_open" doc:"Only those whose circuit is this now."`
	Text    string `query:"text" maxLength:"200" doc:"Only those with this in their URL or description, in upper or lower case."`
	Policy  string `query:"policy" maxLength:"64" doc:"Only those with this policy."`
	Counts  bool   `query:"counts" doc:"Also count what is pending and in flight, which takes time where a lot is."`
}

func (s *server) registerEndpoints(r *routes) {
	const root, one = "/v1/webhook_endpoints", "/v1/webhook_endpoints/{id}"
	handle(r, route{
		id: "create-webhook-endpoint", method: http.MethodPost, path: root, tag: tagEndpoints, need: mayManage,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Create an endpoint",
		description: "It receives what is published from now on. The answer holds its signing secret, this once.",
		sample:      `{"tenant": "acme", "url": "https://example.com/webhooks", "event_types": ["invoice.*"]}`,
		codes:       []Code{UnknownTenant, UnknownPolicy, URLNotAllowed, InvalidSecret, InvalidFilter, CreatedAndDeleted},
	}, s.createEndpoint)
	handle(r, route{
		id: "list-webhook-endpoints", method: http.MethodGet, path: root, tag: tagEndpoints, need: mayRead,
		summary: "List endpoints", description: "Oldest first.", sample: "tenant=acme&counts=true",
	}, s.listEndpoints)
	handle(r, route{
		id: "get-webhook-endpoint", method: http.MethodGet, path: one, tag: tagEndpoints, need: mayRead,
		summary: "Get an endpoint", description: "With its health and what waits for it.",
	}, s.getEndpoint)
	handle(r, route{
		id: "update-webhook-endpoint", method: http.MethodPatch, path: one, tag: tagEndpoints, need: mayManage,
		summary:     "Change an endpoint",
		description: "What is left out or `null` stays as it is; lists and maps are replaced as a whole. What is pending goes to the new URL.",
		sample:      `{"max_in_flight": 20}`, codes: []Code{UnknownPolicy, URLNotAllowed, InvalidFilter, EndpointPolicyChanged, SecretHeaderMissing},
	}, s.updateEndpoint)
	handle(r, route{
		id: "delete-webhook-endpoint", method: http.MethodDelete, path: one, tag: tagEndpoints, need: mayManage,
		timeout: longWork, summary: "Delete an endpoint",
		description: "What is pending for it ends as `dead`, with the reason `endpoint_deleted`. Its history stays readable.",
	}, s.deleteEndpoint)
	s.registerEndpointActions(r)
}

func (s *server) listEndpoints(ctx context.Context, input *listEndpointsInput) (*listAnswer[endpointJSON], error) {
	who := caller(ctx)
	owner, err := who.ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	list := listOf("endpoints", input.Tenant, input.Status, input.Circuit, input.Text, input.Policy)
	after, err := list.afterID(input.Cursor)
	if err != nil {
		return nil, err
	}
	endpoints, more, err := s.Endpoints.Endpoints(ctx, owner, Page{After: after, Limit: input.Limit}, EndpointFilter{
		Status: delivery.EndpointStatus(input.Status), Circuit: circuit.Phase(input.Circuit), Text: input.Text, Policy: input.Policy, Counted: input.Counts,
	})
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

func (s *server) getEndpoint(ctx context.Context, input *endpointPath) (*endpointAnswer, error) {
	_, endpoint, err := s.endpointAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	return &endpointAnswer{Status: http.StatusOK, Body: showEndpoint(endpoint, caller(ctx), time.Now())}, nil
}

func (s *server) deleteEndpoint(ctx context.Context, input *endpointPath) (*struct{}, error) {
	id, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	subject := subjectOfEndpoint(s.tenantOfEndpoint(ctx, id), id, "")
	if err := s.Endpoints.DeleteEndpoint(ctx, caller(ctx).owner(), id); err != nil {
		return nil, err
	}
	changed(ctx, subject)
	return nil, nil
}

func subjectOfEndpoint(tenant string, id delivery.ID, detail string) Subject {
	return Subject{Tenant: tenant, Kind: SubjectEndpoint, ID: id.Format(delivery.EndpointPrefix), Detail: detail}
}

// endpointAt finds the endpoint that a path names, if it is the caller's.
func (s *server) endpointAt(ctx context.Context, shown string) (delivery.ID, Endpoint, error) {
	id, err := idAt(delivery.EndpointPrefix, shown)
	if err != nil {
		return delivery.ID{}, Endpoint{}, err
	}
	endpoint, err := s.Endpoints.Endpoint(ctx, caller(ctx).owner(), id)
	return id, endpoint, err
}

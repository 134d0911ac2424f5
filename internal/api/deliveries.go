package api

import (
	"context"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
)

// DeliveryFilters are what both lists of deliveries have; exported like Paging.
type DeliveryFilters struct {
	Paging
	State string    `query:"state" enum:"pending,sending,delivered,dead,skipped,superseded,resolved,discarded" doc:"Only those in this state."`
	Event string    `query:"event" maxLength:"50" doc:"Only those of this event."`
	Type  string    `query:"type" maxLength:"256" doc:"Only those of events of this type."`
	Since timestamp `query:"since" nullable:"false" doc:"Of events accepted then or later."`
	Until timestamp `query:"until" nullable:"false" doc:"Of events accepted before."`

	DeadReason string `query:"dead_reason" enum:"attempts_exhausted,too_old,rejected,gone,too_large,interrupted,endpoint_deleted" doc:"Only those that are dead for this reason."`
	ErrorCode  string `query:"error_code" enum:"timeout,dns,connect_refused,connect,tls,reset,protocol,blocked_address,url_not_allowed,no_secret,http_status,response_truncated,interrupted" doc:"Only those whose last attempt failed in this way, as last_error_code says."`
}

type listDeliveriesInput struct {
	DeliveryFilters
	Tenant   string `query:"tenant" maxLength:"64" doc:"Only this tenant's."`
	Endpoint string `query:"endpoint" maxLength:"50" doc:"Only those to this endpoint."`
}

type endpointDeliveriesInput struct {
	DeliveryFilters
	ID string `path:"id" doc:"The endpoint's id."`
}

type deliveryPath struct {
	ID string `path:"id" doc:"The delivery's id."`
}

type deliveryAnswer struct{ Body deliveryJSON }

func (s *server) registerDeliveries(r *routes) {
	handle(r, route{
		id: "list-webhook-deliveries", method: http.MethodGet, path: "/v1/webhook_deliveries", tag: tagDeliveries, need: mayRead,
		summary: "List deliveries", description: "Newest first. With `event`, it says what became of an event.", sample: "event=$EVENT_ID",
	}, s.listDeliveries)
	handle(r, route{
		id: "list-deliveries-of-webhook-endpoint", method: http.MethodGet, path: "/v1/webhook_endpoints/{id}/deliveries",
		tag: tagDeliveries, need: mayRead, summary: "List an endpoint's deliveries", description: "Newest first.",
		sample: "state=dead",
	}, s.listEndpointDeliveries)
	handle(r, route{
		id: "get-webhook-delivery", method: http.MethodGet, path: "/v1/webhook_deliveries/{id}", tag: tagDeliveries, need: mayRead,
		summary: "Get a delivery with its attempts",
	}, s.getDelivery)
	r.handleRaw(route{
		id: "get-webhook-delivery-body", method: http.MethodGet, path: "/v1/webhook_deliveries/{id}/body", tag: tagDeliveries, need: mayRead,
		summary: "Get the exact bytes that are sent", description: "In the envelope of the endpoint's policy: what every attempt's signature is over.",
	}, describeBody("The delivery's id."), s.getDeliveryBody)
	s.registerRedelivery(r)
}

func (s *server) listDeliveries(ctx context.Context, input *listDeliveriesInput) (*listAnswer[deliveryJSON], error) {
	owner, err := caller(ctx).ownerNamed(input.Tenant)
	if err != nil {
		return nil, err
	}
	filter, err := input.filter()
	if err != nil {
		return nil, err
	}
	filter.Tenant, _ = owner.Tenant()
	if input.Endpoint != "" {
		if filter.EndpointID, err = idIn("endpoint", delivery.EndpointPrefix, input.Endpoint); err != nil {
			return nil, err
		}
	}
	return s.pageOfDeliveries(ctx, filter, input.DeliveryFilters)
}

func (s *server) listEndpointDeliveries(ctx context.Context, input *endpointDeliveriesInput) (*listAnswer[deliveryJSON], error) {
	id, endpoint, err := s.endpointAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	filter, err := input.filter()
	if err != nil {
		return nil, err
	}
	filter.Tenant, filter.EndpointID = endpoint.Tenant, id
	return s.pageOfDeliveries(ctx, filter, input.DeliveryFilters)
}

func (f DeliveryFilters) filter() (filter DeliveryFilter, err error) {
	if err := checkFilters(f.Type, f.Since, f.Until); err != nil {
		return DeliveryFilter{}, err
	}
	if f.Event != "" {
		if filter.EventID, err = idIn("event", delivery.EventPrefix, f.Event); err != nil {
			return DeliveryFilter{}, err
		}
	}
	if f.DeadReason != "" {
		if f.State != "" && f.State != string(delivery.Dead) {
			return DeliveryFilter{}, fault("dead_reason", "goes with the state dead only: leave out state, or dead_reason")
		}
		f.State = string(delivery.Dead)
	}
	filter.Reason, filter.ErrorCode = delivery.Reason(f.DeadReason), delivery.ErrorCode(f.ErrorCode)
	filter.State, filter.EventType = delivery.State(f.State), f.Type
	filter.Since, filter.Until = f.Since.Time, f.Until.Time
	return filter, nil
}

func (s *server) pageOfDeliveries(ctx context.Context, filter DeliveryFilter, asked DeliveryFilters) (*listAnswer[deliveryJSON], error) {
	list := listOf("deliveries", filter.Tenant, filter.EndpointID.String(), asked.Event, asked.State, asked.Type, asked.DeadReason, asked.ErrorCode,
		instantFilter(asked.Since), instantFilter(asked.Until))
	var err error
	if filter.After, err = list.afterID(asked.Cursor); err != nil {
		return nil, err
	}
	filter.Limit = asked.Limit
	page, err := s.History.Deliveries(ctx, filter)
	if err != nil {
		return nil, err
	}
	return &listAnswer[deliveryJSON]{Body: listJSON[deliveryJSON]{
		Data: shown(page.Deliveries, showDelivery), NextCursor: list.idCursor(page.Next),
	}}, nil
}

func (s *server) getDelivery(ctx context.Context, input *deliveryPath) (*deliveryAnswer, error) {
	found, attempts, err := s.deliveryAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	view, shownAttempts := showDelivery(*found), shown(attempts, showAttempt)
	view.Attempts = &shownAttempts
	return &deliveryAnswer{view}, nil
}

// deliveryAt finds the delivery that a path names, if it is the caller's.
func (s *server) deliveryAt(ctx context.Context, named string) (*delivery.Delivery, []delivery.Attempt, error) {
	id, err := idAt(delivery.DeliveryPrefix, named)
	if err != nil {
		return nil, nil, err
	}
	found, attempts, err := s.History.Delivery(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if !caller(ctx).owner().Owns(found.Tenant) {
		return nil, nil, problem(NotFound, "")
	}
	return found, attempts, nil
}

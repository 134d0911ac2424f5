package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// longWork is the time for operations whose duration is not ours to choose: an
// attempt takes as long as its policy allows, a discard goes through a backlog.
const longWork = 6 * time.Minute

type testResultJSON struct {
	EventID string      `json:"event_id" example:"evt_01k9w3zq4xf8ea7m2v6t5c1hbg" doc:"Of the test event, as the receiver saw it."`
	Attempt attemptJSON `json:"attempt"`
}

type testAnswer struct{ Body testResultJSON }

type discardedJSON struct {
	DiscardedCount int `json:"discarded_count" doc:"How many deliveries were closed."`
}

type discardAnswer struct{ Body discardedJSON }

func (s *server) registerEndpointActions(r *routes) {
	action := func(name, summary, description string, codes ...Code) route {
		return route{
			id: name + "-webhook-endpoint", method: http.MethodPost, path: "/v1/webhook_endpoints/{id}/" + name, codes: codes,
			tag: tagEndpoints, need: mayManage, timeout: longWork, summary: summary, description: description,
		}
	}
	handle(r, action("enable", "Enable an endpoint",
		"Whatever stopped it: its failures are forgotten and what is pending is sent. Also ends a pause."), s.enableEndpoint)
	handle(r, action("disable", "Disable an endpoint",
		"New events are recorded as `skipped`; what is pending stays until it is enabled again or discarded."),
		s.changing(s.Endpoints.DisableEndpoint))
	handle(r, action("pause", "Pause an endpoint", "Events are collected, none is sent.", EndpointDisabled),
		s.changing(s.Endpoints.PauseEndpoint))
	handle(r, action("resume", "Resume a paused endpoint", "What was collected is sent.", EndpointDisabled),
		s.changing(s.Endpoints.ResumeEndpoint))
	handle(r, action("test", "Send a test event now",
		"One attempt, ahead of all that waits; it is not retried. The answer says what came of it. "+
			"The endpoint must be active: neither paused nor disabled.", EndpointDisabled, EndpointBusy), s.testEndpoint)
	handle(r, action("discard", "Discard what is pending",
		"What waits is closed as `discarded`. What is being sent just now is not touched."), s.discardPending)
}

func (s *server) enableEndpoint(ctx context.Context, input *endpointPath) (*endpointAnswer, error) {
	id, err := idAt(delivery.EndpointPrefix, input.ID)
	if err != nil {
		return nil, err
	}
	who := caller(ctx)
	endpoint, replayed, err := s.Endpoints.EnableEndpoint(ctx, who.owner(), id)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfEndpoint(endpoint.Tenant, id, fmt.Sprintf("replayed_count: %d", replayed)))
	view := showEndpoint(endpoint, who, time.Now())
	view.ReplayedCount = &replayed
	return &endpointAnswer{Status: http.StatusOK, Body: view}, nil
}

// changing makes the handler of an operation that changes an endpoint's status.
func (s *server) changing(
	change func(context.Context, Owner, delivery.ID) (Endpoint, error),
) func(context.Context, *endpointPath) (*endpointAnswer, error) {
	return func(ctx context.Context, input *endpointPath) (*endpointAnswer, error) {
		id, err := idAt(delivery.EndpointPrefix, input.ID)
		if err != nil {
			return nil, err
		}
		endpoint, err := change(ctx, caller(ctx).owner(), id)
		if err != nil {
			return nil, err
		}
		changed(ctx, subjectOfEndpoint(endpoint.Tenant, id, ""))
		return &endpointAnswer{Status: http.StatusOK, Body: showEndpoint(endpoint, caller(ctx), time.Now())}, nil
	}
}

func (s *server) testEndpoint(ctx context.Context, input *endpointPath) (*testAnswer, error) {
	id, endpoint, err := s.endpointAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	event, attempt, err := s.Tester.SendTest(ctx, id)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfEndpoint(endpoint.Tenant, id, event.Format(delivery.EventPrefix)))
	return &testAnswer{testResultJSON{EventID: event.Format(delivery.EventPrefix), Attempt: showAttempt(attempt)}}, nil
}

func (s *server) discardPending(ctx context.Context, input *endpointPath) (*discardAnswer, error) {
	id, endpoint, err := s.endpointAt(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	count, err := s.Redelivery.Discard(ctx, id)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfEndpoint(endpoint.Tenant, id, fmt.Sprintf("discarded_count: %d", count)))
	return &discardAnswer{discardedJSON{DiscardedCount: count}}, nil
}

package publish

import (
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Policies finds a policy by its name.
type Policies interface {
	Policy(name string) (*policy.Policy, error)
}

// planner decides the fan-out of one draft, from nothing but the draft and the
// endpoints as the publish transaction sees them.
type planner struct {
	policies Policies
	filters  *filters
}

// Plan implements delivery.Planner. Every draft gets at least one delivery: an
// event that nobody takes is recorded as skipped, with the reason (D07, I9).
func (p planner) Plan(draft *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
	wanted, err := narrow(draft, endpoints)
	if err != nil {
		return delivery.Plan{}, err
	}
	building := planning{
		draft: draft, screening: screening{filters: p.filters},
		renderings: make(map[string]int), rendered: make(map[*policy.Policy]int),
	}
	if draft.Trigger == delivery.TriggerTest {
		return p.test(building, wanted[0])
	}
	for _, endpoint := range wanted {
		contract, err := p.policies.Policy(endpoint.Policy)
		if err != nil {
			return delivery.Plan{}, fmt.Errorf("planning for endpoint %s: %w", endpoint.ID.Format(delivery.EndpointPrefix), err)
		}
		building.add(endpoint, contract)
	}
	if len(building.plan.Deliveries) == 0 {
		return p.nobody(building, len(endpoints) == 0)
	}
	return building.plan, nil
}

// testHeadStart puts a test ahead of whatever waits for the endpoint.
const testHeadStart = 30 * 24 * time.Hour

// test sends to the endpoint whether it subscribes or not and past its filter,
// unless it was disabled: enabled again, it would be surprised by a test of long
// ago.
func (p planner) test(building planning, endpoint *delivery.Endpoint) (delivery.Plan, error) {
	contract, err := p.policies.Policy(endpoint.Policy)
	switch {
	case err != nil:
		return delivery.Plan{}, err
	case !endpoint.Status.Accepts():
		building.skip(endpoint.ID, delivery.EndpointDisabled, contract)
		building.plan.Deliveries[0].Trigger = delivery.TriggerTest
	default:
		building.plan.Deliveries = []delivery.Planned{{
			EndpointID: endpoint.ID, State: delivery.Pending, Rendering: building.render(contract),
			Delay: -testHeadStart, Trigger: delivery.TriggerTest, FIFO: endpoint.FIFO,
		}}
	}
	return building.plan, nil
}

// nobody records an event that no endpoint takes, in the default envelope. The
// reason is that of whoever came closest to taking it.
func (p planner) nobody(building planning, noEndpoints bool) (delivery.Plan, error) {
	contract, err := p.policies.Policy(policy.Default)
	if err != nil {
		return delivery.Plan{}, err
	}
	reason := delivery.TypeNotSubscribed
	switch {
	case noEndpoints:
		reason = delivery.NoEndpoint
	case building.isFiltered:
		reason = delivery.Filtered
	}
	building.skip(delivery.ID{}, reason, contract)
	return building.plan, nil
}

// narrow leaves the endpoints that the publisher named, if it named any.
func narrow(draft *delivery.Draft, endpoints []*delivery.Endpoint) ([]*delivery.Endpoint, error) {
	if len(draft.EndpointIDs) == 0 {
		return endpoints, nil
	}
	var wanted []*delivery.Endpoint
	for _, id := range draft.EndpointIDs {
		i := slices.IndexFunc(endpoints, func(e *delivery.Endpoint) bool { return e.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("%w: %s", delivery.ErrUnknownEndpoint, id.Format(delivery.EndpointPrefix))
		}
		if !slices.Contains(wanted, endpoints[i]) {
			wanted = append(wanted, endpoints[i])
		}
	}
	return wanted, nil
}

// planning gathers one draft's plan.
type planning struct {
	draft      *delivery.Draft
	screening  screening
	plan       delivery.Plan
	renderings map[string]int         // envelope → index into plan.Bodies
	rendered   map[*policy.Policy]int // the same for policies seen already, without asking for their envelopes
	isFiltered bool                   // an endpoint subscribes to the type, and its filter refused the event
}

// add asks for the type, the filter and the status, in this order: a disabled
// endpoint misses only what it would have taken.
func (b *planning) add(endpoint *delivery.Endpoint, contract *policy.Policy) {
	switch {
	case !endpoint.Subscribes(b.draft.Event.Type):
		b.leaveOut(endpoint, delivery.TypeNotSubscribed, contract)
	case !b.screening.takes(b.draft, endpoint):
		b.isFiltered = true
		b.leaveOut(endpoint, delivery.Filtered, contract)
	case !endpoint.Status.Accepts():
		// Recorded under every policy: what a disabled endpoint missed must be
		// recoverable, not vanish.
		b.skip(endpoint.ID, delivery.EndpointDisabled, contract)
	default:
		b.plan.Deliveries = append(b.plan.Deliveries, delivery.Planned{
			EndpointID: endpoint.ID, State: delivery.Pending, Rendering: b.render(contract),
			Delay: contract.Schedule.FirstDelay, FIFO: endpoint.FIFO,
		})
	}
}

// leaveOut records that an endpoint does not want the event, if its policy does
// (D07).
func (b *planning) leaveOut(endpoint *delivery.Endpoint, reason delivery.Reason, contract *policy.Policy) {
	if contract.RecordsSkip(reason) {
		b.skip(endpoint.ID, reason, contract)
	}
}

func (b *planning) skip(endpoint delivery.ID, reason delivery.Reason, contract *policy.Policy) {
	b.plan.Deliveries = append(b.plan.Deliveries, delivery.Planned{
		EndpointID: endpoint, State: delivery.Skipped, Reason: reason, Rendering: b.render(contract),
	})
}

// render makes the body in the policy's envelope, once per different envelope.
// The publisher's own bytes are sent as they are under every policy.
func (b *planning) render(contract *policy.Policy) int {
	at, made := b.rendered[contract]
	if !made {
		at = b.renderEnvelope(contract)
		b.rendered[contract] = at
	}
	return at
}

func (b *planning) renderEnvelope(contract *policy.Policy) int {
	key := ""
	if b.draft.Data != nil {
		key = contract.Envelope.Key()
	}
	if at, made := b.renderings[key]; made {
		return at
	}
	body := b.draft.Event.Body
	if b.draft.Data != nil {
		body = contract.Envelope.Render(policy.Fields{
			ID: b.draft.Event.ID.Format(delivery.EventPrefix), Type: b.draft.Event.Type,
			OccurredAt: b.draft.Event.OccurredAt, AcceptedAt: b.draft.Event.AcceptedAt,
		}, b.draft.Data)
	}
	at := len(b.plan.Bodies)
	b.plan.Bodies = append(b.plan.Bodies, body)
	b.renderings[key] = at
	return at
}

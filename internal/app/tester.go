package app

import (
	"context"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/registry"
)

// tester sends a test event through the queue like any other, so that a test
// never makes one request more than the endpoint allows, and waits for what
// comes of it.
type tester struct {
	registry *registry.Registry
	publish  *publish.Service
	history  *history.Reader
	book     *policyBook
}

const (
	testPoll   = 20 * time.Millisecond
	testMargin = 5 * time.Second // beyond the policy's deadline
)

// testWaitsError means that no attempt was made in time: the endpoint's slots are
// taken, or its circuit is open. The test event stays queued.
type testWaitsError struct{ Event delivery.ID }

func (e *testWaitsError) Error() string {
	return fmt.Sprintf("the test event %s waits for a free slot of the endpoint", e.Event.Format(delivery.EventPrefix))
}

// SendTest implements api.Tester.
func (t tester) SendTest(ctx context.Context, endpoint delivery.ID) (delivery.ID, delivery.Attempt, error) {
	target, err := t.registry.Endpoint(ctx, registry.AnyTenant, endpoint)
	if err != nil {
		return delivery.ID{}, delivery.Attempt{}, err
	}
	if target.Status != delivery.Active {
		return delivery.ID{}, delivery.Attempt{}, registry.ErrEndpointDisabled
	}
	contract, err := t.book.Policy(target.Policy)
	if err != nil {
		return delivery.ID{}, delivery.Attempt{}, err
	}
	event, err := t.publish.PublishTest(ctx, target.Tenant, endpoint)
	if err != nil {
		return delivery.ID{}, delivery.Attempt{}, err
	}
	attempt, err := t.await(ctx, event, contract.Deadline+testMargin)
	return event, attempt, err
}

func (t tester) await(ctx context.Context, event delivery.ID, patience time.Duration) (delivery.Attempt, error) {
	ticker := time.NewTicker(testPoll)
	defer ticker.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		attempt, made, err := t.attemptOf(ctx, event)
		if err != nil || made {
			return attempt, err
		}
		select {
		case <-ctx.Done():
			return delivery.Attempt{}, ctx.Err()
		case <-deadline.C:
			return delivery.Attempt{}, &testWaitsError{Event: event}
		case <-ticker.C:
		}
	}
}

func (t tester) attemptOf(ctx context.Context, event delivery.ID) (delivery.Attempt, bool, error) {
	deliveries, err := t.history.DeliveriesOfEvent(ctx, event)
	if err != nil || len(deliveries) == 0 {
		return delivery.Attempt{}, false, err
	}
	_, attempts, err := t.history.Delivery(ctx, deliveries[0].ID)
	if err != nil || len(attempts) == 0 {
		return delivery.Attempt{}, false, err
	}
	return attempts[len(attempts)-1], true, nil
}

package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/receiver"
)

// evidence is all that there is to judge by, from three sides: the publishers'
// ledger, the API, and the receivers.
type evidence struct {
	at         time.Time
	entries    map[string]entry
	events     map[string][]eventView // by tenant
	deliveries []deliveryView
	views      map[string]endpointView // by endpoint id
	witnesses  []witness
}

// witness is what one receiver saw.
type witness struct {
	endpoint *endpoint
	counts   receiver.Counts
	records  map[string]receiver.Record // by event id
}

// gather asks the API for everything and then the receivers: what the API calls
// delivered must have arrived before.
func gather(ctx context.Context, c *client, s *stage, l *ledger, progress func(tenants int)) (*evidence, error) {
	found := &evidence{entries: l.snapshot(), events: make(map[string][]eventView), views: make(map[string]endpointView)}
	for i, tenant := range s.tenants {
		events, err := c.eventsOf(ctx, tenant)
		if err != nil {
			return nil, fmt.Errorf("listing the events of %s: %w", tenant, err)
		}
		deliveries, err := c.deliveriesOf(ctx, tenant)
		if err != nil {
			return nil, fmt.Errorf("listing the deliveries of %s: %w", tenant, err)
		}
		found.events[tenant] = events
		found.deliveries = append(found.deliveries, deliveries...)
		progress(i + 1)
	}
	views, err := c.endpoints(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the endpoints: %w", err)
	}
	for _, view := range views {
		found.views[view.ID] = view
	}
	for _, e := range s.endpoints {
		found.witnesses = append(found.witnesses, e.testify())
	}
	found.at = time.Now()
	return found, nil
}

func (e *endpoint) testify() witness {
	w := witness{endpoint: e, counts: e.receiver.Counts(), records: make(map[string]receiver.Record)}
	for _, record := range e.receiver.Records() {
		w.records[record.ID] = record
	}
	return w
}

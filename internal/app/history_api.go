package app

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/metrics"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/redelivery"
)

// historyAPI shows the history to the API in the API's own words.
type historyAPI struct{ *history.Reader }

// Events implements api.History.
func (a historyAPI) Events(ctx context.Context, filter api.EventFilter) (api.EventPage, error) {
	page, err := a.Reader.Events(ctx, history.EventFilter(filter))
	return api.EventPage(page), err
}

// Deliveries implements api.History.
func (a historyAPI) Deliveries(ctx context.Context, filter api.DeliveryFilter) (api.DeliveryPage, error) {
	page, err := a.Reader.Deliveries(ctx, history.DeliveryFilter(filter))
	return api.DeliveryPage(page), err
}

// Worklist implements api.History.
func (a historyAPI) Worklist(ctx context.Context, asked api.Worklist) (api.DeliveryPage, error) {
	page, err := a.Reader.Worklist(ctx, history.Worklist{
		DeadFilter: history.DeadFilter(asked.DeadFilter), NewestFirst: asked.NewestFirst, After: asked.After, Limit: asked.Limit,
	})
	return api.DeliveryPage(page), err
}

// Outcomes implements api.History.
func (a historyAPI) Outcomes(ctx context.Context, filter api.OutcomeFilter) ([]delivery.Delivery, error) {
	return a.Reader.Outcomes(ctx, history.OutcomeFilter(filter))
}

// redeliveryAPI is what the API does to deliveries, with the lanes woken after.
type redeliveryAPI struct {
	*redelivery.Writer
	book *policyBook
	wake func([]delivery.LaneRef)
}

// Replay implements api.Redelivery.
func (a redeliveryAPI) Replay(ctx context.Context, ids []delivery.ID, tenant string, preview bool) (api.Replay, error) {
	done, err := a.Writer.Replay(ctx, redelivery.Request{
		IDs: ids, Tenant: tenant, Preview: preview, Trigger: delivery.TriggerReplay,
		Allowed: func(name string, state delivery.State) bool {
			contract, err := a.book.Policy(name)
			return err == nil && contract.Replayable(state)
		},
	})
	a.wake(done.Lanes) // also after an error: the commit may have worked
	if err != nil {
		return api.Replay{}, err
	}
	results := mapAll(done.Results, func(r redelivery.Result) api.Replayed {
		return api.Replayed{ID: r.ID, Refusal: api.ReplayRefusal(r.Refusal), State: r.State, Tenant: r.Tenant, EventID: r.EventID, EndpointID: r.EndpointID, URL: r.URL}
	})
	return api.Replay{Results: results, Done: done.Done}, nil
}

// ResolveMany implements api.Redelivery.
func (a redeliveryAPI) ResolveMany(ctx context.Context, ids []delivery.ID, tenant, reason string) ([]api.Resolved, error) {
	results, err := a.Writer.ResolveMany(ctx, ids, tenant, reason)
	return mapAll(results, func(r redelivery.Resolved) api.Resolved { return api.Resolved(r) }), err
}

// Discard implements api.Redelivery. What was discarded may have held up what came
// meanwhile, so the lane is looked at again in any case.
func (a redeliveryAPI) Discard(ctx context.Context, endpoint delivery.ID) (int, error) {
	defer a.wake([]delivery.LaneRef{{Shard: endpoint.Shard(), EndpointID: endpoint}})
	return a.Writer.Discard(ctx, endpoint)
}

// lagMetrics shows the history and the pools to the metrics.
type lagMetrics struct {
	reader *history.Reader
	store  *store.Store
}

// lagLanes is how many endpoints have metrics of their own.
const lagLanes = 20

// Lag implements metrics.Storage.
func (l lagMetrics) Lag(ctx context.Context) (metrics.Lag, error) {
	lag, err := l.reader.Lag(ctx, lagLanes)
	if err != nil {
		return metrics.Lag{}, err
	}
	return metrics.Lag{
		OldestAll: lag.Oldest, OldestHealthy: lag.OldestHealthy,
		Pending: lag.Open.Pending, Sending: lag.Open.Sending,
		Lanes: mapAll(lag.Lanes, func(lane history.LaneLag) metrics.LaneLag {
			return metrics.LaneLag{
				Endpoint: lane.EndpointID.Format(delivery.EndpointPrefix), Tenant: lane.Tenant,
				Oldest: lane.OldestAge, Pending: lane.Pending,
			}
		}),
	}, nil
}

// PartitionsUntil implements metrics.Storage.
func (l lagMetrics) PartitionsUntil(ctx context.Context) (time.Time, error) {
	return l.store.PartitionsUntil(ctx)
}

// Pools implements metrics.Storage.
func (l lagMetrics) Pools() []metrics.Pool {
	return mapAll(l.store.Pools(), func(p store.PoolStat) metrics.Pool { return metrics.Pool(p) })
}

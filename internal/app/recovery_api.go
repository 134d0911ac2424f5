package app

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/recovery"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
	"github.com/malotehq/malote/internal/store/watch"
)

// recoveryAPI shows recoveries to the API in the API's own words.
type recoveryAPI struct {
	*redelivery.Writer
	registry *registry.Registry
}

// CountRecoverable implements api.Recoveries.
func (a recoveryAPI) CountRecoverable(ctx context.Context, window api.RecoveryWindow) (api.Recovery, error) {
	checked, err := windowOf(window)
	if err != nil {
		return api.Recovery{}, err
	}
	count, err := a.Writer.CountRecoverable(ctx, checked)
	return api.Recovery{RecoveryWindow: api.RecoveryWindow(checked), Total: count}, err
}

// StartRecovery implements api.Recoveries. The idempotency key is taken first, and
// names the recovery: a repeat finds it, or makes it if the first request died.
func (a recoveryAPI) StartRecovery(ctx context.Context, tenant string, window api.RecoveryWindow, once api.Once) (api.Recovery, bool, error) {
	checked, err := windowOf(window)
	if err != nil {
		return api.Recovery{}, false, err
	}
	id, first, err := a.registry.FirstID(ctx, window.Endpoint.Shard(), "recovery:"+tenant, registry.Once(once))
	if err != nil {
		return api.Recovery{}, false, err
	}
	started, err := a.Writer.StartRecovery(ctx, id, checked)
	return recoveryOf(started), first, err
}

func windowOf(window api.RecoveryWindow) (redelivery.Window, error) {
	request, err := recovery.Request{Since: window.Since, Until: window.Until, States: window.States}.Checked(time.Now())
	return redelivery.Window{Endpoint: window.Endpoint, Since: request.Since, Until: request.Until, States: request.States}, err
}

func recoveryOf(r redelivery.Recovery) api.Recovery {
	return api.Recovery{
		ID: r.ID, Tenant: r.Tenant, RecoveryWindow: api.RecoveryWindow(r.Window), Status: string(r.Status), Detail: r.Detail,
		Total: r.Total, Recovered: r.Recovered, PassedOver: r.PassedOver,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
	}
}

// Recovery implements api.Recoveries.
func (a recoveryAPI) Recovery(ctx context.Context, id delivery.ID) (api.Recovery, error) {
	found, err := a.Writer.Recovery(ctx, id)
	return recoveryOf(found), err
}

// Recoveries implements api.Recoveries.
func (a recoveryAPI) Recoveries(ctx context.Context, endpoint, before delivery.ID, limit int) ([]api.Recovery, error) {
	list, err := a.Writer.Recoveries(ctx, endpoint, before, limit)
	return mapAll(list, recoveryOf), err
}

// CancelRecovery implements api.Recoveries.
func (a recoveryAPI) CancelRecovery(ctx context.Context, id delivery.ID) (api.Recovery, error) {
	cancelled, err := a.Writer.CancelRecovery(ctx, id)
	return recoveryOf(cancelled), err
}

// signalsAPI shows signals to the API in the API's own words.
type signalsAPI struct{ watcher *watch.Watcher }

// Signals implements api.Signals.
func (a signalsAPI) Signals(ctx context.Context, filter api.SignalFilter) (api.SignalPage, error) {
	page, err := a.watcher.Signals(ctx, watch.Filter{
		Tenant: filter.Tenant, Kind: delivery.SignalKind(filter.Kind), Since: filter.Since, EndpointID: filter.EndpointID,
	}, filter.Before, filter.Limit)
	return api.SignalPage{Signals: mapAll(page.Signals, signalOf), Next: page.Next}, err
}

func signalOf(s watch.Signal) api.Signal {
	return api.Signal{
		ID: s.ID, Tenant: s.Tenant, Kind: string(s.Kind), Detail: s.Detail, EndpointID: s.EndpointID,
		DeliveryID: s.DeliveryID, EventID: s.EventID, EventType: s.EventType, CreatedAt: s.At,
	}
}

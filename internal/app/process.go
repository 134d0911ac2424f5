package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/malotehq/malote/internal/dispatch"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/maintenance"
	"github.com/malotehq/malote/internal/metrics"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/sender"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
)

// process holds the parts of a running process, wired.
type process struct {
	options Options
	log     *slog.Logger
	metrics *metrics.Metrics
	store   *store.Store

	registry   *registry.Registry
	history    *history.Reader
	redelivery *redelivery.Writer
	book       *policyBook
	guard      *egress.Guard

	waker       *dispatch.Waker
	publish     *publish.Service
	dispatcher  *dispatch.Dispatcher     // nil unless a worker
	maintenance *maintenance.Maintenance // nil unless a worker
}

// orphanStorage is the store with what the registry does for maintenance.
type orphanStorage struct {
	*store.Store
	registry *registry.Registry
}

// CloseOrphans implements maintenance.Storage.
func (s orphanStorage) CloseOrphans(ctx context.Context, limit int) (int, error) {
	return s.registry.CloseOrphans(ctx, limit)
}

func newProcess(ctx context.Context, options Options, dsn string) (*process, error) {
	s, err := store.Open(ctx, store.Options{DSN: dsn, HotConnections: options.HotConnections, Log: options.Log})
	if err != nil {
		return nil, err
	}
	p := &process{options: options, log: options.Log, store: s, metrics: metrics.New(options.Version)}
	p.registry = registry.New(s, registry.Options{Presets: policy.PresetNames()})
	p.history, p.redelivery = history.New(s), redelivery.New(s)
	p.book = newPolicyBook(p.registry)
	p.guard, err = egress.NewGuard(egress.Rules{RequireHTTPS: options.RequireHTTPS, AllowDestinations: options.AllowDestinations})
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("setting up the egress guard: %w", err)
	}
	p.metrics.WatchStorage(lagMetrics{p.history, s}, p.log)

	signal := func() {}
	if options.plays(RoleWorker) {
		p.wireWorker()
		signal = p.dispatcher.Signal
	}
	p.waker = dispatch.NewWaker(s, signal, p.log)
	p.publish = publish.New(publish.Options{
		Storage: s, Policies: p.book, Waker: p.waker, Observer: p.metrics, Log: p.log, MaxBody: options.MaxBodyBytes,
	})
	return p, nil
}

func (p *process) wireWorker() {
	p.dispatcher = dispatch.New(dispatch.Options{
		Storage: p.store, Policies: p.book, Observer: p.metrics, Log: p.log,
		Sender:      sender.New(sender.Options{Guard: p.guard, Version: p.options.Version}),
		MaxInFlight: p.options.MaxInFlight, DrainTimeout: p.options.DrainTimeout,
	})
	p.maintenance = maintenance.New(maintenance.Options{
		Storage: orphanStorage{p.store, p.registry}, Policies: p.book, Observer: p.metrics,
		Signal: p.dispatcher.Signal, Log: p.log,
	})
}

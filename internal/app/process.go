package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/dispatch"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/ingest"
	"github.com/malotehq/malote/internal/maintenance"
	"github.com/malotehq/malote/internal/metrics"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/recovery"
	"github.com/malotehq/malote/internal/relay"
	"github.com/malotehq/malote/internal/sender"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/accounts"
	"github.com/malotehq/malote/internal/store/audit"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/inbound"
	"github.com/malotehq/malote/internal/store/notices"
	"github.com/malotehq/malote/internal/store/pulse"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
	"github.com/malotehq/malote/internal/store/retention"
	"github.com/malotehq/malote/internal/store/watch"
	"github.com/malotehq/malote/internal/tracing"
)

// process holds the parts of a running process, wired.
type process struct {
	options Options
	log     *slog.Logger
	metrics *metrics.Metrics
	store   *store.Store
	keys    secretKeys
	tracer  *tracing.Tracer // nil unless traces are exported

	registry   *registry.Registry
	watch      *watch.Watcher
	inbound    *inbound.Records
	accounts   *accounts.Accounts
	audit      *audit.Log
	pulse      *pulse.Pulse
	heart      *heart
	notices    *notices.Store
	outboxes   *outboxReadings
	history    *history.Reader
	redelivery *redelivery.Writer
	book       *policyBook
	guard      *egress.Guard

	waker       *dispatch.Waker
	publish     *publish.Service
	publisher   publisher                // publish, with traces if there are any
	dispatcher  *dispatch.Dispatcher     // nil unless a worker
	maintenance *maintenance.Maintenance // nil unless a worker
	door        *ingest.Door             // nil unless it ingests
	turnedAway  *ingest.Gatherer         // nil unless it ingests
	tally       *ingest.Tally            // likewise
	relays      []*relay.Relay           // one for each outbox; none unless it relays
}

// houseStorage is the store with what the registry does for maintenance.
type houseStorage struct {
	*store.Store
	registry *registry.Registry
}

// CloseOrphans implements maintenance.Storage.
func (s houseStorage) CloseOrphans(ctx context.Context, limit int) (int, error) {
	return s.registry.CloseOrphans(ctx, limit)
}

// houseKeeper is the retention with what others forget.
type houseKeeper struct {
	*retention.Keeper
	registry *registry.Registry
	inbound  *inbound.Records
	notices  *notices.Store
	accounts *accounts.Accounts
}

// CleanUp implements maintenance.Retention.
func (k houseKeeper) CleanUp(ctx context.Context, now time.Time) (map[string]int64, error) {
	removed, err := k.Keeper.CleanUp(ctx, now)
	forgotten, forgetErr := k.registry.ForgetExpiredSecrets(ctx)
	rejections, removeErr := k.inbound.RemoveOldRejections(ctx, now)
	windows, windowsErr := k.notices.CleanUp(ctx, now)
	sessions, sessionErr := k.accounts.RemoveOld(ctx)
	if removed == nil {
		removed = make(map[string]int64)
	}
	removed["secrets"] += int64(forgotten)
	removed["rejections"] += rejections
	removed["notice_windows"] += windows
	removed["sessions"] += sessions
	return removed, errors.Join(err, forgetErr, removeErr, windowsErr, sessionErr)
}

func newProcess(ctx context.Context, options Options, dsn string) (_ *process, err error) {
	keys, err := openSecretKeys(options)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, store.Options{DSN: dsn, HotConnections: options.HotConnections, Log: options.Log, Opener: keys})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	p := &process{options: options, log: options.Log, keys: keys, store: s, metrics: metrics.New(options.Version)}
	p.registry = registry.New(s, registry.Options{Presets: policy.AllPresetNames(), Sealer: keys})
	if err := keys.admit(ctx, p.registry); err != nil {
		return nil, err
	}
	p.history, p.redelivery, p.inbound = history.New(s), redelivery.New(s), inbound.New(s, inbound.Options{})
	p.audit, p.pulse, p.heart = audit.New(s, audit.Options{}), pulse.New(s), newHeart(p.metrics)
	p.notices, p.outboxes = notices.New(s), newOutboxReadings()
	p.accounts = accounts.New(s, accounts.Options{})
	p.book = newPolicyBook(p.registry)
	p.watch = watch.New(s, watch.Options{Circuits: p.book.circuit, Log: p.log})
	p.guard, err = egress.NewGuard(egress.Rules{RequireHTTPS: options.RequireHTTPS, AllowDestinations: options.AllowDestinations})
	if err != nil {
		return nil, fmt.Errorf("setting up the egress guard: %w", err)
	}
	keeper, err := retention.New(s, retention.Options{Keep: options.Retention, Log: p.log})
	if err != nil {
		return nil, fmt.Errorf("setting up the retention: %w", err)
	}
	p.metrics.WatchStorage(lagMetrics{p.history, s}, p.log)

	if p.tracer, err = openTracer(ctx, options); err != nil {
		return nil, err
	}
	signal, hand := func() {}, func([]delivery.LaneRef) bool { return false }
	if options.plays(RoleWorker) {
		p.wireWorker()
		signal, hand = p.dispatcher.Signal, p.dispatcher.Hand
	}
	p.waker = dispatch.NewWaker(s, signal, hand, p.log)
	p.publish = publish.New(publish.Options{
		Storage: s, Policies: p.book, Waker: p.waker, Observer: p.heart, Log: p.log, MaxBody: options.MaxBodyBytes,
	})
	p.publisher = tracedPublisher(p.tracer, p.publish)
	if options.plays(RoleIngest) {
		p.wireDoor()
	}
	if options.plays(RoleRelay) {
		p.wireRelays(dsn)
	}
	if options.plays(RoleWorker) {
		p.wireMaintenance(keeper, dsn)
	}
	return p, nil
}

func (p *process) wireWorker() {
	p.dispatcher = dispatch.New(dispatch.Options{
		Storage: tracedClaims(p.tracer, p.store), Policies: p.book, Observer: p.heart, Log: p.log,
		Sender: tracedSender(p.tracer, sender.New(sender.Options{
			Guard: p.guard, Version: p.options.Version, MailServer: p.options.MailServer, IdlePerHost: p.options.MaxInFlight,
		})),
		MaxInFlight: p.options.MaxInFlight, DrainTimeout: p.options.DrainTimeout,
		Wake: func(lanes []delivery.LaneRef) { p.waker.Note(lanes) },
	})
}

func (p *process) wireMaintenance(keeper *retention.Keeper, dsn string) {
	p.maintenance = maintenance.New(maintenance.Options{
		Storage: houseStorage{p.store, p.registry}, Policies: p.book, Observer: p.metrics, Tally: p.metrics,
		Retention: houseKeeper{keeper, p.registry, p.inbound, p.notices, p.accounts}, Alerts: p.newAlerts(dsn), Watch: p.watch, Recoverer: recovery.New(p.redelivery, p.waker.Wake),
		Repairer: p.newRepairs(),
		Signal:   p.dispatcher.Signal, Log: p.log,
	})
}

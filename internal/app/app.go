package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/malotehq/malote/internal/dispatch"
)

// Run starts a process, calls ready once it serves, and returns after ctx has
// ended and everything has stopped in order. An error before ready says in one
// line why the process cannot start.
func Run(ctx context.Context, options Options, ready func(Info)) error {
	if err := options.complete(); err != nil {
		return err
	}
	quietStandardLog(options.Log)
	// The port first: a second Malote on the same port should say so at once.
	listener, err := options.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // the server has closed it by then, if it ran
	db, err := openDatabase(ctx, options)
	if err != nil {
		return err
	}
	defer db.close()
	p, err := newProcess(ctx, options, db.dsn)
	if err != nil {
		return err
	}
	defer p.store.Close()

	info := Info{DatabaseURL: db.dsn, BaseURL: "http://" + listener.Addr().String()}
	if db.private != nil {
		info.PrivateData = options.DataDir
	}
	info.SecretKeyFile = p.keys.path
	if err := ensureAdminKey(ctx, p.registry, options, &info); err != nil {
		return err
	}
	if err := p.registry.EnsureOwnTenant(ctx); err != nil {
		return err
	}
	if info.WelcomeURL, err = p.firstLink(ctx, info.BaseURL); err != nil {
		return err
	}
	return p.run(ctx, listener, func() { ready(info) })
}

func (o *Options) listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another address with --listen", o.Listen, rootCause(err))
	}
	return listener, nil
}

// rootCause spares the user the layers that the standard library adds.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// run plays the roles until ctx ends. The order of the stop matters: first
// nobody may come in any more, then what is in is committed, then lanes are
// woken, then what is in flight ends.
func (p *process) run(ctx context.Context, listener net.Listener, ready func()) error {
	stages := &stages{}
	stages.start(func(ctx context.Context) { p.heart.beat(ctx, p.pulse, p.log) })
	stages.start(func(ctx context.Context) { p.waker.Run(ctx) })
	if p.dispatcher != nil {
		stages.start(func(ctx context.Context) { p.work(ctx) })
	}
	stages.start(func(ctx context.Context) { p.publish.Run(ctx) })
	if p.relays != nil {
		stages.start(func(ctx context.Context) { p.relay(ctx) })
	}
	if p.turnedAway != nil {
		stages.start(func(ctx context.Context) { p.turnedAway.Run(ctx) })
		stages.start(func(ctx context.Context) { p.tally.Run(ctx) })
	}
	failed := make(chan error, 1)
	stages.start(func(ctx context.Context) { failed <- p.serve(ctx, listener) })
	ready()

	var err error
	select {
	case <-ctx.Done():
		p.log.Info("stopping: finishing what is in flight")
	case err = <-failed:
	}
	stages.stop()
	if p.tracer != nil {
		if closing := p.tracer.Close(); closing != nil {
			p.log.Warn("some traces were lost", "error", closing)
		}
	}
	return err
}

// work dispatches and keeps house until ctx ends.
func (p *process) work(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { p.keys.sealRest(ctx, p.registry, p.log) })
	parts.Go(func() { p.maintenance.Run(ctx) })
	parts.Go(func() { tidy(ctx, p.pulse, p.store, p.log) })
	parts.Go(func() { dispatch.Listen(ctx, p.store, p.dispatcher.Signal, p.log) })
	p.dispatcher.Run(ctx)
	parts.Wait()
}

// stages are parts that stop one after another, the last started first.
type stages struct{ stops []func() }

func (s *stages) start(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	s.stops = append(s.stops, func() {
		cancel()
		<-done
	})
}

func (s *stages) stop() {
	for len(s.stops) > 0 {
		last := len(s.stops) - 1
		s.stops[last]()
		s.stops = s.stops[:last]
	}
}

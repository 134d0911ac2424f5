package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/ingest"
)

// Bounds of the HTTP server: a slow or silent client holds nothing for long.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	shutdownTimeout   = 15 * time.Second
)

// serve answers HTTP until ctx ends, and then what was already asked.
func (p *process) serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           p.handler(),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving HTTP: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		p.log.Warn("some requests were cut off by the stop", "error", err)
		return errors.Join(server.Close())
	}
	return nil
}

// handler serves the API, or, in a process that only works, just its health.
func (p *process) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", p.metrics.Handler())
	if p.door != nil {
		mux.Handle(ingest.Pattern, p.metrics.Requests("ingest", p.door))
	}
	if p.options.plays(RoleAPI) {
		mux.Handle("/", p.metrics.Requests("api", p.api()))
		return mux
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := p.store.Ping(r.Context()); err != nil {
			http.Error(w, "the database cannot be reached", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

func (p *process) api() http.Handler {
	reg := registryAPI{registry: p.registry, book: p.book, wake: p.waker.Wake}
	options := api.Options{
		Publisher: p.publisher, Keys: reg, Tenants: reg, Endpoints: reg, Policies: reg,
		History:    historyAPI{p.history},
		Redelivery: redeliveryAPI{p.redelivery, p.book, p.waker.Wake},
		Recoveries: recoveryAPI{p.redelivery, p.registry},
		Signals:    signalsAPI{p.watch},
		AuditLog:   auditAPI{p.audit},
		Stats:      &statsAPI{history: p.history, pulse: p.pulse},
		Sources:    sourcesAPI{p.registry}, SourceRules: sourceRules{p.options.MaxBodyBytes},
		Rejections: rejectionsAPI{p.inbound},
		GapRepairs: gapRepairsAPI{p.newRepairs(), p.registry, p.inbound, p.options.MaxBodyBytes},
		PublicURL:  strings.TrimSuffix(p.options.PublicURL, "/"),
		Tester:     tester{p.registry, p.publish, p.history, p.book},
		CanMail:    p.options.MailServer != nil,
		URLs:       p.guard, Prober: prober{p}, Translate: translate,
		ClientAddress: func(r *http.Request) netip.Addr { return ingest.SenderOf(r, p.options.TrustedProxies) },
		Retention:     p.options.Retention,
		MaxBodyBytes:  p.options.MaxBodyBytes, Version: p.options.Version, Log: p.log,
	}
	if p.options.AdminKey != "" {
		hash := sha256.Sum256([]byte(p.options.AdminKey))
		options.AdminKeyHash = &hash
	}
	return api.New(options)
}

// prober says whether this process can do its work now.
type prober struct{ process *process }

// Ready implements api.Prober.
func (p prober) Ready(ctx context.Context) error { return p.process.store.Ping(ctx) }

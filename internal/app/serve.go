package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
	ending, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler:           p.handler(ending.Done()),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(end) // streams go on until they are told
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

// handler serves what the process's roles ask for; every process tells its health.
func (p *process) handler(ending <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", p.metrics.Handler())
	if p.door != nil {
		mux.Handle(ingest.Pattern, p.metrics.Requests("ingest", p.door))
	}
	answers := p.api()
	counted := p.metrics.Requests("api", answers)
	for _, path := range []string{"/healthz", "/readyz"} {
		mux.Handle(path, counted)
	}
	if p.options.plays(RoleAPI) {
		for _, path := range apiPaths {
			mux.Handle(path, counted)
		}
	}
	switch {
	case p.options.plays(RoleDashboard):
		mux.Handle("/", p.metrics.Requests("dashboard", p.dashboard(answers, ending)))
	case p.options.plays(RoleAPI):
		mux.Handle("/", counted)
	}
	return mux
}

// apiPaths are the API's where it shares the address with the dashboard.
var apiPaths = []string{"/v1/", "/docs", "/docs/", "/openapi.json"}

func (p *process) api() http.Handler {
	reg := registryAPI{registry: p.registry, book: p.book, wake: p.waker.Wake}
	options := api.Options{
		Publisher: p.publisher, Keys: reg, Tenants: reg, Endpoints: reg, Policies: reg,
		History:    historyAPI{p.history},
		Redelivery: redeliveryAPI{p.redelivery, p.book, p.waker.Wake},
		Recoveries: recoveryAPI{p.redelivery, p.registry},
		Signals:    signalsAPI{p.watch},
		AuditLog:   auditAPI{p.audit}, PortalLinks: portalLinks{p.keys},
		Users: usersAPI{p.accounts, p.registry}, About: aboutAPI{p},
		Stats:   newStatsAPI(p.history, p.pulse),
		Sources: sourcesAPI{p.registry}, SourceRules: sourceRules{p.options.MaxBodyBytes},
		Rejections: rejectionsAPI{p.inbound}, Arrivals: arrivalsAPI{p.inbound},
		GapRepairs: gapRepairsAPI{p.newRepairs(), p.registry, p.inbound, p.options.MaxBodyBytes},
		PublicURL:  p.publicURL(),
		Tester:     tester{p.registry, p.publish, p.history, p.book},
		CanMail:    p.options.MailServer != nil,
		URLs:       p.guard, Prober: prober{p}, Translate: translate,
		ClientAddress: p.clientAddress,
		Retention:     p.options.Retention,
		MaxBodyBytes:  p.options.MaxBodyBytes, Version: p.options.Version, Log: p.log,
	}
	if p.options.AdminKey != "" {
		hash := sha256.Sum256([]byte(p.options.AdminKey))
		options.AdminKeyHash = &hash
	}
	return api.New(options)
}

// publicURL is the address that people and providers have this server under,
// without a slash at its end; "": it is not known.
func (p *process) publicURL() string { return strings.TrimSuffix(p.options.PublicURL, "/") }

// prober says whether this process can do its work now.
type prober struct{ process *process }

// Ready implements api.Prober.
func (p prober) Ready(ctx context.Context) error { return p.process.store.Ping(ctx) }

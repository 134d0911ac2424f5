package sender

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/egress"
	"github.com/malotehq/malote/internal/policy"
)

// Options configure a [Sender].
type Options struct {
	// Guard says which URLs and addresses may be called. Required.
	Guard *egress.Guard

	// Resolver looks names up; nil: [egress.SystemResolver].
	Resolver egress.Resolver

	// Proxy is an egress proxy that all requests go through; nil: none. The
	// environment's proxy variables are never consulted, because behind a proxy
	// only URLs can be checked here: which addresses a name may resolve to is
	// then the proxy's to enforce.
	Proxy *url.URL

	// MailServer is where mail goes; nil: nothing can be mailed.
	MailServer *MailServer

	// RootCAs sign the endpoints' certificates, and the mail server's; nil: the
	// system's.
	RootCAs *x509.CertPool

	// IdlePerHost is how many idle connections to one host are kept: as many as
	// may be in flight, or a busy host's are opened and closed without an end.
	// 0: 64.
	IdlePerHost int

	// Version is shown to endpoints, as User-Agent: Malote/Version.
	Version string
}

// Sender makes attempts. Goroutines may share it; there should be one per
// process, since it holds the idle connections.
type Sender struct {
	guard     *egress.Guard
	transport *http.Transport
	keys      *keyring
	userAgent string

	version    string
	mailServer *MailServer
	mailTLS    *tls.Config
}

// New returns a sender. Close releases what it keeps.
func New(options Options) *Sender {
	s := &Sender{
		guard:      options.Guard,
		transport:  newTransport(options),
		keys:       newKeyring(),
		userAgent:  "Malote/" + options.Version,
		version:    options.Version,
		mailServer: options.MailServer,
	}
	if s.mailServer != nil {
		s.mailTLS = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: options.RootCAs, ServerName: s.mailServer.Host}
	}
	return s
}

// Close closes the idle connections. Attempts in flight go on; whoever wants
// them to end cancels their context.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Send makes one attempt: at most one request, or one mail where the URL is an
// address, ended by p.Deadline whatever the endpoint does. now is the time of the attempt by the caller's clock; it
// is signed and recorded, while the deadline and the duration are measured.
//
// The outcome's Error is "" when a whole response was read, whatever its
// status, where "whole" is what the policy reads of it (F01, S01). An
// attempt that ctx ended has the error interrupted: whether the endpoint got
// the request is then unknown.
func (s *Sender) Send(ctx context.Context, claim *delivery.Claim, p *policy.Policy, now time.Time) delivery.Outcome {
	started := time.Now()
	attempt := s.attempt
	if egress.IsMailto(claim.Endpoint.URL) {
		attempt = s.mail
	}
	outcome := attempt(ctx, claim, p, now, started.Add(p.Deadline))
	outcome.StartedAt, outcome.Duration = now, time.Since(started)
	return outcome
}

func (s *Sender) attempt(ctx context.Context, claim *delivery.Claim, p *policy.Policy, now, deadline time.Time) delivery.Outcome {
	request, refused := s.request(claim, p, now)
	if refused != nil {
		return refused.outcome()
	}
	ctx, cancel := context.WithDeadlineCause(ctx, deadline, errDeadline)
	defer cancel()
	a := &attempt{deadline: deadline, allowed: p.Deadline, cancel: cancel}
	response, err := s.transport.RoundTrip(request.WithContext(a.follow(ctx)))
	if err != nil {
		return a.failure(ctx, err).outcome()
	}
	return a.read(ctx, response, p)
}

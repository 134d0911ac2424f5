package api

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"
)

// DefaultMaxBodyBytes is the largest event body unless Options says otherwise.
const DefaultMaxBodyBytes = 1 << 20

// Options of New. All interfaces are required.
type Options struct {
	Publisher  Publisher
	Keys       Keys
	Tenants    Tenants
	Endpoints  Endpoints
	Policies   Policies
	History    History
	Redelivery Redelivery
	Recoveries Recoveries
	Signals    Signals
	Tester     Tester
	AuditLog   AuditLog
	Stats      Stats
	Users      Users
	About      Abouter

	PortalLinks PortalLinks

	Sources     Sources
	SourceRules SourceRules
	Rejections  Rejections
	Arrivals    Arrivals
	GapRepairs  GapRepairs

	URLs   URLChecker
	Prober Prober

	// Translate says which code an error of the stores means; "" if it is none
	// that a client could do something about.
	Translate func(error) Code

	// ClientAddress says where a request comes from; nil: where its connection does.
	ClientAddress func(*http.Request) netip.Addr

	// AdminKeyHash is the SHA-256 of a fixed key with ScopeAdmin that no store
	// knows; nil: there is none.
	AdminKeyHash *[sha256.Size]byte

	// Retention is how long events are kept, for the contract pages; 0: what is
	// usual there.
	Retention time.Duration

	// CanMail says whether an SMTP server is configured: without one no endpoint can
	// be an e-mail address.
	CanMail bool

	// PublicURL is this server's address as providers are given it, without a
	// slash at its end; empty: it is not known.
	PublicURL string

	MaxBodyBytes int    // of one event, as the Publisher has it; default DefaultMaxBodyBytes
	Version      string // of the program, shown in the OpenAPI document
	Log          *slog.Logger
}

// server is what all handlers share. It never changes after New.
type server struct {
	Options
	gate      *gate
	translate func(error) Code
	log       *slog.Logger
	limits    limits
}

// limits are how many bytes a request may have.
type limits struct {
	publish int // a request that publishes one
	batch   int // a request that publishes a batch
	other   int // every other request
}

const (
	// roomBesideBody is for all members of an event but its data.
	roomBesideBody = 64 << 10

	// batchBodies is how many bodies of the largest size fit into a batch.
	batchBodies = 16
)

// limitsFor leaves room for a body that comes as base64, which is a third
// longer than its bytes.
func limitsFor(maxBody int) limits {
	one := maxBody/3*4 + 4 + roomBesideBody
	return limits{publish: one, batch: batchBodies * one, other: 256 << 10}
}

// New makes the handler for /v1/…, /openapi.json, /docs, /healthz and /readyz.
// It may be called concurrently with others' New and panics if an option is
// missing, which is a mistake in the program.
func New(options Options) http.Handler {
	if err := options.complete(); err != nil {
		panic(err)
	}
	s := &server{
		Options: options, translate: options.Translate, log: options.Log,
		limits: limitsFor(options.MaxBodyBytes),
		gate:   newGate(options.Keys, options.AdminKeyHash),
	}
	routes := newRoutes(s)
	s.registerTenants(routes)
	s.registerKeys(routes)
	s.registerUsers(routes)
	s.registerEndpoints(routes)
	s.registerSecrets(routes)
	s.registerPublish(routes)
	s.registerEvents(routes)
	s.registerExport(routes)
	s.registerDeliveries(routes)
	s.registerRecoveries(routes)
	s.registerSignals(routes)
	s.registerSources(routes)
	s.registerSourceSecrets(routes)
	s.registerRejections(routes)
	s.registerSourceSeries(routes)
	s.registerGapRepairs(routes)
	s.registerSourceProviders(routes)
	s.registerPolicies(routes)
	s.registerContracts(routes)
	s.registerPortalLinks(routes)
	s.registerAuditLog(routes)
	s.registerStats(routes)
	s.registerSearch(routes)
	s.registerAbout(routes)
	s.registerHealth(routes)
	return s.guard(routes.handler())
}

func (o *Options) complete() error {
	for _, part := range []any{
		o.Publisher, o.Keys, o.Tenants, o.Endpoints, o.Policies, o.History, o.Redelivery, o.Recoveries, o.Signals, o.Tester, o.URLs, o.Prober,
		o.Sources, o.SourceRules, o.Rejections, o.Arrivals, o.GapRepairs, o.AuditLog, o.Stats, o.PortalLinks,
		o.Users, o.About,
	} {
		if part == nil {
			return errors.New("api: an interface is missing in Options")
		}
	}
	if o.Translate == nil || o.Log == nil {
		return errors.New("api: Options need Translate and Log")
	}
	if o.ClientAddress == nil {
		o.ClientAddress = peerOf
	}
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = DefaultMaxBodyBytes
	}
	return nil
}

func peerOf(r *http.Request) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value is "not known"
	return peer.Addr().Unmap()
}

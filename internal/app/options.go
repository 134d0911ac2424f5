package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/sender"
)

// Role is a part of Malote that a process can play.
type Role string

// The roles. A process without any plays all.
const (
	RoleAPI    Role = "api"    // takes events and questions over HTTP
	RoleIngest Role = "ingest" // takes providers' webhooks in
	RoleWorker Role = "worker" // sends deliveries and keeps house
	RoleRelay  Role = "relay"  // carries what applications published in their own transactions

	RoleDashboard Role = "dashboard" // shows it all to people, at /
)

// Roles lists every role.
var Roles = []Role{RoleAPI, RoleIngest, RoleWorker, RoleRelay, RoleDashboard}

// Options of Run.
type Options struct {
	DatabaseURL string // empty: a private PostgreSQL under DataDir
	DataDir     string // default ./malote-data
	Listen      string // default 127.0.0.1:8420
	Roles       []Role // default: all

	AdminKey          string         // a key that always works, beside those in the database
	AllowDestinations []netip.Prefix // holes in the egress guard, for development
	RequireHTTPS      bool

	// PublicURL is the address that providers are given; empty: what a request says.
	PublicURL string
	// PortalOrigins may show the tenant portal inside of their pages; empty: nobody.
	PortalOrigins []string
	// TrustedProxies are the addresses whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix

	// SecretKeys seal secrets at rest: the current one, then older ones that what
	// is there may be sealed under. Empty: the keys in DataDir, where the first
	// start leaves one.
	SecretKeys []seal.Key
	// Retention is how long what happened is kept; 0: 30 days. At least 8 days.
	Retention time.Duration

	// MailServer sends what is mailed; nil: nothing can be.
	MailServer *sender.MailServer
	Alerts     AlertOptions

	// Outboxes are those of applications' own databases; Malote's own is always
	// carried.
	Outboxes  []Outbox
	RelayPoll time.Duration // default 50 ms

	// OTLPEndpoint is where traces are exported to; empty: there are none.
	OTLPEndpoint string
	// TraceRatio is the share of publishes that begin a trace of their own.
	TraceRatio float64

	MaxBodyBytes   int // of an event; default 1 MiB
	MaxInFlight    int // attempts in this process; default 64 (F05)
	HotConnections int // database connections for publish, claim and completion
	DrainTimeout   time.Duration

	Version string
	Log     *slog.Logger
}

// Info is what a process tells once it is ready.
type Info struct {
	BaseURL      string // where it listens
	DatabaseURL  string // with the password: for this process only, never to be shown
	PrivateData  string // the private PostgreSQL's directory, if there is one
	AdminKey     string // a key that works, if this process knows one
	AdminKeyFile string // where the first start's key is kept
	KeyIsNew     bool   // it was made just now

	// WelcomeURL lets its reader become the dashboard's first administrator, once;
	// "": there are users.
	WelcomeURL string

	SecretKeyFile string // where the key that seals secrets is, if it was not given
}

func (o *Options) complete() error {
	if o.DataDir == "" {
		o.DataDir = "malote-data"
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8420"
	}
	if len(o.Roles) == 0 {
		o.Roles = Roles
	}
	for _, role := range o.Roles {
		if !slices.Contains(Roles, role) {
			return fmt.Errorf("there is no role %q; the roles are %q", role, Roles)
		}
	}
	if err := checkOutboxes(o.Outboxes); err != nil {
		return err
	}
	if err := checkPortalOrigins(o.PortalOrigins); err != nil {
		return err
	}
	if o.AdminKey != "" && len(o.AdminKey) < 24 {
		return errors.New("MALOTE_ADMIN_KEY is too short to be safe: use at least 24 random characters")
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}

func (o *Options) plays(role Role) bool { return slices.Contains(o.Roles, role) }

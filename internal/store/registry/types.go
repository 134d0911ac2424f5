package registry

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Owner is on whose behalf something is looked up. Its zero value owns nothing.
// What an owner does not own, does not exist for it.
type Owner struct {
	tenant string
	any    bool
}

// AnyTenant is the owner of everything: an administrator.
var AnyTenant = Owner{any: true}

// OfTenant owns what is one tenant's.
func OfTenant(slug string) Owner { return Owner{tenant: slug} }

func (o Owner) owns(tenant string) bool {
	return o.any || o.tenant != "" && o.tenant == tenant
}

// Once is a creating request's idempotency key. Without Key it is nothing.
//
// A repeat with an equal fingerprint gets what the first request created, one
// with another fingerprint delivery.ErrKeyReused. Keys are kept for KeptFor and
// are unique per tenant and kind of thing.
type Once struct {
	Key         string
	Fingerprint [32]byte // SHA-256 of all that the request said
}

// KeptFor is how long an idempotency key is remembered.
const KeptFor = 7 * 24 * time.Hour

// Page asks for the rows after one row, oldest first. The zero After is the
// beginning. Limit must be at least 1.
type Page struct {
	After delivery.ID
	Limit int
}

// Tenant owns endpoints, events and keys.
type Tenant struct {
	ID               string // the caller's slug
	Name             string
	Priority         int
	AlertEmails      []string
	TechnicalContact string
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// TenantPatch changes what is not nil.
type TenantPatch struct {
	Name             *string
	Priority         *int
	AlertEmails      *[]string
	TechnicalContact *string
}

// Scope is what a key may do.
type Scope string

// The scopes. All but ScopeAdmin belong to a tenant.
const (
	ScopeAdmin   Scope = "admin"
	ScopeTenant  Scope = "tenant"
	ScopePublish Scope = "publish"
	ScopeRead    Scope = "read"
)

// Scopes lists every scope.
var Scopes = []Scope{ScopeAdmin, ScopeTenant, ScopePublish, ScopeRead}

// Key is an API key as it is stored: whoever holds its plain form may act in
// its scope.
type Key struct {
	ID        delivery.ID
	Tenant    string // "" for ScopeAdmin
	Scope     Scope
	Name      string
	CreatedAt time.Time
	RevokedAt time.Time // zero: it works
}

// Defaults is what a policy says about the lanes of its endpoints.
type Defaults struct {
	Policy       string // whose defaults these are
	MaxInFlight  int    // F03
	LeaseSeconds int    // more than the total deadline (I5)
}

// NewEndpoint is an endpoint to be created.
type NewEndpoint struct {
	Tenant      string
	URL         string
	Policy      string
	EventTypes  []string // empty: every type (D07)
	MaxInFlight int      // 1…1000; 0: the policy's default
	Headers     map[string]string
	AtMostOnce  bool
	Description string
	Metadata    map[string]string
	Secrets     []string // values, current one first
}

// EndpointPatch changes what is not nil.
type EndpointPatch struct {
	URL         *string
	Policy      *string
	EventTypes  *[]string
	MaxInFlight *int // 0: back to the policy's default
	Headers     *map[string]string
	AtMostOnce  *bool
	Description *string
	Metadata    *map[string]string
}

// Endpoint is an endpoint and how it is doing. Its secrets carry their values
// only in the answer to the request that created them.
type Endpoint struct {
	delivery.Endpoint
	Health
}

// Health is how an endpoint is doing.
type Health struct {
	ConsecutiveFailures int // R08
	FirstFailureAt      time.Time
	LastFailureAt       time.Time
	LastSuccessAt       time.Time
	PausedUntil         time.Time // zero: its circuit is closed

	Limit   int  // how many may be in flight, without slow-down and circuit
	Counted bool // whether the rest is known
	// Pending and InFlight are exact.
	Pending  int
	InFlight int
	// OldestPendingSince looks at the first 10,000 due deliveries; zero: none
	// is pending.
	OldestPendingSince time.Time
}

// StatusChange is what a person does to an endpoint.
type StatusChange string

// The changes.
const (
	Enable        StatusChange = "enable"          // R06: forgets its failures
	DisableByUser StatusChange = "disable_by_user" // R07
	Pause         StatusChange = "pause"           // collects events, sends none
	Resume        StatusChange = "resume"
)

// Policy is a contract that a user wrote. It never changes.
type Policy struct {
	Name      string
	Source    string // the YAML as it came
	CreatedAt time.Time
}

package api

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/publish"
	"github.com/malotehq/malote/internal/source"
)

// Once is a creating request's idempotency key. Without Key it is nothing.
type Once struct {
	Key         string
	Fingerprint [32]byte // SHA-256 of all that the request said
}

// Page asks for the rows after one row. The zero After is the beginning.
type Page struct {
	After delivery.ID
	Limit int
}

// Publisher takes events in. It returns after the commit, and either all of the
// events are in or none is; errors are those of package publish.
type Publisher interface {
	Publish(ctx context.Context, requests []publish.Request) ([]publish.Result, error)
}

// Keys keeps API keys.
type Keys interface {
	// FindKey looks up a key that a caller presents; known is false if it does
	// not work.
	FindKey(ctx context.Context, plain string) (_ Key, known bool, _ error)
	// CreateKey gives the key itself once; for a repeat it is "".
	CreateKey(ctx context.Context, scope Scope, tenant, name string, once Once) (plain string, _ Key, _ error)
	Keys(ctx context.Context, owner Owner, page Page) (_ []Key, more bool, _ error)
	RevokeKey(ctx context.Context, owner Owner, id delivery.ID) (Key, error)
}

// Tenants keeps tenants.
type Tenants interface {
	CreateTenant(ctx context.Context, tenant Tenant, once Once) (_ Tenant, created bool, _ error)
	Tenant(ctx context.Context, slug string) (Tenant, error)
	Tenants(ctx context.Context, after string, limit int) (_ []Tenant, more bool, _ error)
	UpdateTenant(ctx context.Context, slug string, patch TenantPatch) (Tenant, error)
	DeleteTenant(ctx context.Context, slug string) error
}

// Endpoints keeps endpoints and their secrets.
type Endpoints interface {
	CreateEndpoint(ctx context.Context, endpoint NewEndpoint, defaults Defaults, once Once) (_ Endpoint, created bool, _ error)
	Endpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error)
	Endpoints(ctx context.Context, owner Owner, page Page, filter EndpointFilter) (_ []Endpoint, more bool, _ error)
	UpdateEndpoint(ctx context.Context, owner Owner, id delivery.ID, patch EndpointPatch, defaults Defaults) (Endpoint, error)
	DeleteEndpoint(ctx context.Context, owner Owner, id delivery.ID) error

	// EnableEndpoint also replays the endpoint's dead deliveries if its policy
	// says so (R06), and counts them.
	EnableEndpoint(ctx context.Context, owner Owner, id delivery.ID) (_ Endpoint, replayed int, _ error)
	DisableEndpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error)
	PauseEndpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error)
	ResumeEndpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error)

	AddSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, once Once) (_ delivery.Secret, created bool, _ error)
	RotateSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, overlap time.Duration, once Once) (_ delivery.Secret, created bool, _ error)
	Secrets(ctx context.Context, owner Owner, endpoint delivery.ID) ([]delivery.Secret, error)
	RevokeSecret(ctx context.Context, owner Owner, endpoint, secret delivery.ID) error
}

// Policies keeps the policies that users wrote. Presets are package policy's.
type Policies interface {
	CreatePolicy(ctx context.Context, name, source string, once Once) (_ StoredPolicy, created bool, _ error)
	Policy(ctx context.Context, name string) (StoredPolicy, error)
	Policies(ctx context.Context) ([]StoredPolicy, error)
}

// History reads what happened. It shows everybody's things: this package
// compares the tenant.
type History interface {
	Event(ctx context.Context, id delivery.ID) (*delivery.Event, error)
	EventBody(ctx context.Context, id delivery.ID) (body []byte, contentType string, err error)
	Events(ctx context.Context, filter EventFilter) (EventPage, error)
	// EventsByKey finds events by an idempotency key that is still remembered; ""
	// is every tenant.
	EventsByKey(ctx context.Context, tenant, key string) ([]delivery.Event, error)
	// DeliveryBody is what is sent, in the envelope of the endpoint's policy.
	DeliveryBody(ctx context.Context, found *delivery.Delivery) (body []byte, contentType string, err error)
	Delivery(ctx context.Context, id delivery.ID) (*delivery.Delivery, []delivery.Attempt, error)
	Deliveries(ctx context.Context, filter DeliveryFilter) (DeliveryPage, error)
	// Worklist lists dead deliveries, failed tests apart.
	Worklist(ctx context.Context, asked Worklist) (DeliveryPage, error)
	// Outcomes gives deliveries by their events' ids and their own, without the
	// events' types; fewer than the limit: these were the last.
	Outcomes(ctx context.Context, filter OutcomeFilter) ([]delivery.Delivery, error)
}

// Redelivery is what people do to deliveries. Endpoints and deliveries that it
// is given were looked up for the owner before.
type Redelivery interface {
	// Replay puts all deliveries back into their queues, or, if one is refused
	// or preview is set, none. Another tenant's are not found; "" is any tenant.
	Replay(ctx context.Context, ids []delivery.ID, tenant string, preview bool) (Replay, error)
	Resolve(ctx context.Context, id delivery.ID, reason string) error
	// ResolveMany resolves those that are dead, and says of each. Another tenant's
	// are not found; "" is any tenant.
	ResolveMany(ctx context.Context, ids []delivery.ID, tenant, reason string) ([]Resolved, error)
	Discard(ctx context.Context, endpoint delivery.ID) (int, error)
}

// Recoveries are jobs that deliver again what an endpoint missed. Endpoints and
// jobs that it is given were looked up for the owner before.
type Recoveries interface {
	// CountRecoverable says what StartRecovery would be about; its ID is zero.
	CountRecoverable(ctx context.Context, window RecoveryWindow) (Recovery, error)
	StartRecovery(ctx context.Context, tenant string, window RecoveryWindow, once Once) (_ Recovery, created bool, _ error)
	Recovery(ctx context.Context, id delivery.ID) (Recovery, error)
	// Recoveries lists an endpoint's, newest first, before the one named.
	Recoveries(ctx context.Context, endpoint, before delivery.ID, limit int) ([]Recovery, error)
	CancelRecovery(ctx context.Context, id delivery.ID) (Recovery, error)
}

// Signals lists what somebody should hear of.
type Signals interface {
	Signals(ctx context.Context, filter SignalFilter) (SignalPage, error)
}

// Sources keeps sources and their secrets.
type Sources interface {
	CreateSource(ctx context.Context, source NewSource, once Once) (_ Source, created bool, _ error)
	Source(ctx context.Context, owner Owner, id delivery.ID) (Source, error)
	Sources(ctx context.Context, owner Owner, page Page) (_ []Source, more bool, _ error)
	UpdateSource(ctx context.Context, owner Owner, id delivery.ID, change SourceChange) (Source, error)
	DeleteSource(ctx context.Context, owner Owner, id delivery.ID) error
	PauseSource(ctx context.Context, owner Owner, id delivery.ID) (Source, error)
	ResumeSource(ctx context.Context, owner Owner, id delivery.ID) (Source, error)

	AddSourceSecret(ctx context.Context, owner Owner, id delivery.ID, secret source.Secret, once Once) (_ SourceSecret, created bool, _ error)
	// RotateSourceSecret lets older ones of the same role expire after the overlap.
	RotateSourceSecret(ctx context.Context, owner Owner, id delivery.ID, secret source.Secret, overlap time.Duration, once Once) (_ SourceSecret, created bool, _ error)
	SourceSecrets(ctx context.Context, owner Owner, id delivery.ID) ([]SourceSecret, error)
	RevokeSourceSecret(ctx context.Context, owner Owner, id, secret delivery.ID) error
}

// SourceRules knows what a source's settings may be.
type SourceRules interface {
	// CheckSettings names all that is wrong with settings, by their members.
	CheckSettings(provider string, settings json.RawMessage) []Fault
	// RepairsGaps says whether a provider has a list to compare with.
	RepairsGaps(provider string) bool
}

// Rejections lists what sources turned away.
type Rejections interface {
	Rejections(ctx context.Context, filter RejectionFilter) (RejectionPage, error)
}

// Arrivals knows how much came in by each source.
type Arrivals interface {
	// SourceHours gives a source's hours from since to before until, oldest first;
	// those in which nothing came may be left out.
	SourceHours(ctx context.Context, id delivery.ID, since, until time.Time) ([]SourceHour, error)
	// SourceSums adds up hours by source, of all tenants if none is named; sources
	// by which nothing came may be left out.
	SourceSums(ctx context.Context, tenant string, since, until time.Time) ([]SourceHour, error)
}

// GapRepairs brings in what never came. Sources that it is given were looked up
// for the owner before.
type GapRepairs interface {
	// RepairGaps goes from since to until (zero: as late as something can be
	// missed). Beside an error the report counts what was done; a *GapRefusal and a
	// *GapFailure are for people.
	RepairGaps(ctx context.Context, id delivery.ID, since, until time.Time, dryRun bool) (GapReport, error)
	// GapProgress is the zero value where nothing was compared.
	GapProgress(ctx context.Context, id delivery.ID) (GapProgress, error)
}

// Tester sends a test event to an endpoint now and waits for what comes of it.
type Tester interface {
	SendTest(ctx context.Context, endpoint delivery.ID) (event delivery.ID, attempt delivery.Attempt, err error)
}

// URLChecker says whether a URL may be registered, and gives its normal form.
// Its errors tell the user what to do.
type URLChecker interface {
	CheckURL(raw string) (*url.URL, error)
}

// Prober says whether what Malote stands on works.
type Prober interface {
	Ready(ctx context.Context) error
}

package api

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// Endpoint is an endpoint and how it is doing. Its secrets carry their values
// only in the answer to the request that created them.
type Endpoint struct {
	delivery.Endpoint // FIFO: what holds, its own word or the policy's
	Health

	Rate          float64  // attempts a second that hold; 0: no limit
	SecretHeaders []string // the names, sorted; nobody can see the values again
}

// Health is how an endpoint is doing.
type Health struct {
	ConsecutiveFailures int // R08
	FirstFailureAt      time.Time
	LastFailureAt       time.Time
	LastSuccessAt       time.Time
	PausedUntil         time.Time // zero: its circuit is closed

	Limit    int           // how many may be in flight, but for slow-down and circuit
	LimitNow int           // how many may be in flight at this moment
	Circuit  circuit.Phase // at this moment

	Counted            bool // whether the rest is known
	Pending            int
	InFlight           int
	OldestPendingSince time.Time // zero: none is pending
}

// Defaults is what a policy says about the lanes of its endpoints.
type Defaults struct {
	Policy       string  // whose defaults these are
	MaxInFlight  int     // F03
	LeaseSeconds int     // more than the total deadline (I5)
	RateLimit    float64 // attempts a second; 0: no limit
	FIFO         bool    // strictly ordered
}

// NewEndpoint is an endpoint to be created.
type NewEndpoint struct {
	Tenant      string
	URL         string
	Policy      string
	EventTypes  []string // empty: every type (D07)
	MaxInFlight int      // 1…1000; 0: the policy's default
	RateLimit   float64  // attempts a second; 0: the policy's default
	FIFO        *bool    // nil: the policy's default
	Filter      string   // a CEL expression; empty: every event
	Headers     map[string]string

	SecretHeaders map[string]string // never shown again

	AtMostOnce  bool
	Description string
	Metadata    map[string]string
	Secrets     []string // values, the current one first
}

// EndpointPatch changes what is not nil.
type EndpointPatch struct {
	URL         *string
	Policy      *string
	EventTypes  *[]string
	MaxInFlight *int     // 0: back to the policy's default
	RateLimit   *float64 // 0: back to the policy's default
	FIFO        *bool
	Filter      *string // empty: every event
	Headers     *map[string]string

	SecretHeaders *map[string]*string // replaces all; a nil value keeps the present one

	AtMostOnce  *bool
	Description *string
	Metadata    *map[string]string
}

type endpointJSON struct {
	ID             string            `json:"id" example:"whe_01k9w3zq4xf8ea7m2v6t5c1hbg"`
	Tenant         string            `json:"tenant" example:"acme"`
	URL            string            `json:"url" example:"https://example.com/webhooks" doc:"In its normal form."`
	Policy         string            `json:"policy" example:"standard" doc:"The delivery contract, by name."`
	EventTypes     []string          `json:"event_types" example:"[\"invoice.*\"]" doc:"Empty: every type."`
	MaxInFlight    int               `json:"max_in_flight" example:"10" doc:"How many deliveries may be on their way at once; the policy's default unless it was set."`
	RateLimit      *float64          `json:"rate_limit" example:"50" doc:"Attempts a second at most, over all processes; the policy's default unless it was set. null: no limit."`
	FIFO           bool              `json:"fifo" example:"false" doc:"Whether events go out strictly one after another, in the order of their publication: one that fails holds the rest until it is delivered or dead."`
	Filter         string            `json:"filter" example:"data.total > 100" doc:"A CEL expression; events for which it is false are skipped. Empty: every event."`
	Headers        map[string]string `json:"headers" doc:"Sent with every attempt. Secret ones show as [hidden]; a key with the scope read sees no value at all."`
	SecretHeaders  []string          `json:"secret_headers" example:"[\"Authorization\"]" doc:"Which of the headers are secret: their values are stored sealed and nobody can read them again."`
	AtMostOnce     bool              `json:"at_most_once" doc:"Whether nothing is ever sent twice, not even when it is not known whether it arrived."`
	Description    string            `json:"description" doc:"For people."`
	Metadata       map[string]string `json:"metadata" doc:"Yours to use; never sent."`
	Status         string            `json:"status" enum:"active,paused,disabled_by_user,disabled_by_system" doc:"Paused, it collects events and gets none; disabled, its new events are skipped."`
	DisabledReason *string           `json:"disabled_reason" doc:"Why Malote itself disabled it: gone, consecutive_failures or failing_too_long."`
	CreatedAt      timestamp         `json:"created_at" nullable:"false"`
	UpdatedAt      timestamp         `json:"updated_at" nullable:"false"`

	Circuit                 string    `json:"circuit" enum:"closed,open,half_open" doc:"open: failures in a row keep it from being called until paused_until. half_open: it is being tried again."`
	Limit                   int       `json:"limit" example:"10" doc:"How many deliveries may be on their way now: less than max_in_flight while it is slowed down or tried again."`
	ConsecutiveFailures     int       `json:"consecutive_failures" doc:"How many attempts failed in a row."`
	FirstFailureAt          timestamp `json:"first_failure_at" doc:"Of the failures in a row."`
	LastFailureAt           timestamp `json:"last_failure_at"`
	LastSuccessAt           timestamp `json:"last_success_at"`
	PausedUntil             timestamp `json:"paused_until" doc:"Until when failures in a row keep it from being called; null: they do not."`
	Pending                 *int      `json:"pending" example:"0" doc:"Deliveries that wait. It is counted, as are the next two, for GET of one endpoint and in lists with counts=true; null elsewhere."`
	InFlight                *int      `json:"in_flight" example:"0" doc:"Deliveries that are being sent."`
	OldestPendingAgeSeconds *int64    `json:"oldest_pending_age_seconds" doc:"null: none is pending."`

	ReplayedCount *int    `json:"replayed_count,omitempty" example:"0" doc:"Only in the answer to enabling it: how many dead deliveries went back into the queue, if the policy says so."`
	Secret        *string `json:"secret,omitempty" example:"whsec_…" doc:"The signing secret: only in the answer to the creation, and nobody can see it again."`
}

// showEndpoint shows an endpoint as of now.
func showEndpoint(e Endpoint, who principal, now time.Time) endpointJSON {
	view := endpointJSON{
		ID: e.ID.Format(delivery.EndpointPrefix), Tenant: e.Tenant, URL: e.URL, Policy: e.Policy,
		EventTypes: listed(e.EventTypes), MaxInFlight: e.Limit, FIFO: e.FIFO, Filter: e.Filter,
		Headers: showHeaders(e, who), SecretHeaders: listed(e.SecretHeaders),
		AtMostOnce: e.AtMostOnce, Description: e.Description, Metadata: mapped(e.Metadata),
		Status: string(e.Status), DisabledReason: optional(e.DisabledReason),
		CreatedAt: timestamp{e.CreatedAt}, UpdatedAt: timestamp{e.UpdatedAt},
		ConsecutiveFailures: e.ConsecutiveFailures, FirstFailureAt: timestamp{e.FirstFailureAt},
		LastFailureAt: timestamp{e.LastFailureAt}, LastSuccessAt: timestamp{e.LastSuccessAt},
		PausedUntil: timestamp{e.PausedUntil}, Circuit: string(e.Circuit), Limit: e.LimitNow,
	}
	if e.Rate > 0 {
		view.RateLimit = &e.Rate
	}
	if e.Counted {
		view.Pending, view.InFlight = &e.Pending, &e.InFlight
		if !e.OldestPendingSince.IsZero() {
			age := max(int64(now.Sub(e.OldestPendingSince)/time.Second), 0)
			view.OldestPendingAgeSeconds = &age
		}
	}
	return view
}

func mapped(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

type newEndpointJSON struct {
	Tenant      string            `json:"tenant,omitempty" maxLength:"64" doc:"Required of an admin key. A tenant's key has its own and may leave it out."`
	URL         string            `json:"url" minLength:"1" maxLength:"2048" doc:"Where deliveries are POSTed. Private and special addresses are refused. Of the tenant malote, also mailto: and an e-mail address, if an SMTP server is configured."`
	Policy      string            `json:"policy,omitempty" maxLength:"64" doc:"The delivery contract, by name. Left out: standard, or email for an e-mail address."`
	EventTypes  []string          `json:"event_types,omitempty" maxItems:"200" maxLength:"256" uniqueItems:"true" doc:"Which types it takes; one that ends in .* takes every type below it. Empty: every type."`
	MaxInFlight *int              `json:"max_in_flight,omitempty" minimum:"1" maximum:"1000" doc:"How many deliveries may be on their way at once. Left out: the policy's default."`
	RateLimit   *float64          `json:"rate_limit,omitempty" minimum:"0.001" maximum:"10000" doc:"Attempts a second at most, retries included, over all processes. A tenth of a second's worth may come at once. Left out: the policy's default."`
	FIFO        *bool             `json:"fifo,omitempty" doc:"Send strictly one after another, in the order of publication. Left out: the policy's default."`
	Filter      string            `json:"filter,omitempty" maxLength:"4096" doc:"A CEL expression over type, data and more (see the guide): events for which it is false are skipped."`
	Headers     map[string]string `json:"headers,omitempty" doc:"Sent with every attempt: at most 20, and 4,096 bytes in all. Those that Malote or the policy sends itself cannot be set. Names that speak of credentials, such as Authorization, are secret."`

	SecretHeaders []string `json:"secret_headers,omitempty" maxItems:"20" uniqueItems:"true" doc:"Which other headers are secret, too."`

	AtMostOnce  bool              `json:"at_most_once,omitempty" doc:"Never send anything twice, not even when it is not known whether it arrived."`
	Description string            `json:"description,omitempty" maxLength:"1000" doc:"For people."`
	Metadata    map[string]string `json:"metadata,omitempty" doc:"Yours to use; never sent. At most 50 names, and 8,192 bytes in all."`
	Secret      string            `json:"secret,omitempty" maxLength:"500" doc:"A signing secret of your own: whsec_ and base64 of 24 to 64 random bytes, or an ed25519 key whsk_. Left out, one is generated."`
}

type endpointPatchJSON struct {
	URL         *string            `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"Also for what is pending. Private and special addresses are refused."`
	Policy      *string            `json:"policy,omitempty" minLength:"1" maxLength:"64" doc:"The delivery contract, by name."`
	EventTypes  *[]string          `json:"event_types,omitempty" maxItems:"200" maxLength:"256" uniqueItems:"true" doc:"Replaces the list. Empty: every type."`
	MaxInFlight *int               `json:"max_in_flight,omitempty" minimum:"0" maximum:"1000" doc:"0: back to the policy's default."`
	RateLimit   *float64           `json:"rate_limit,omitempty" minimum:"0" maximum:"10000" doc:"0: back to the policy's default."`
	FIFO        *bool              `json:"fifo,omitempty" doc:"Send strictly one after another. What is pending takes its place by the time of its event."`
	Filter      *string            `json:"filter,omitempty" maxLength:"4096" doc:"Empty: every event."`
	Headers     *map[string]string `json:"headers,omitempty" doc:"Replaces all of them. The value [hidden] keeps what a secret header has."`

	SecretHeaders *[]string `json:"secret_headers,omitempty" maxItems:"20" uniqueItems:"true" doc:"Which of headers, given with it, are secret besides those that are by their names. Left out: those that were."`

	AtMostOnce  *bool              `json:"at_most_once,omitempty" doc:"Never send anything twice, not even when it is not known whether it arrived."`
	Description *string            `json:"description,omitempty" maxLength:"1000" doc:"For people."`
	Metadata    *map[string]string `json:"metadata,omitempty" doc:"Replaces all of it."`
}

// Package records has the API's answers as pages read them: the members that a
// page shows, under their own names.
//
// It must never know how the API is asked, or how a page is drawn.
package records

import "time"

// Delivery is one of /v1/webhook_deliveries.
type Delivery struct {
	ID         string `json:"id"`
	EventID    string `json:"event_id"`
	EndpointID string `json:"endpoint_id"` // "": its event matched none
	Tenant     string `json:"tenant"`
	EventType  string `json:"event_type"`
	State      string `json:"state"`
	DeadReason string `json:"dead_reason"`
	SkipReason string `json:"skip_reason"`
	Resolution string `json:"resolution"`
	Trigger    string `json:"trigger"`

	AttemptCount       int        `json:"attempt_count"`
	NextAttemptAt      *time.Time `json:"next_attempt_at"`
	LastResponseStatus int        `json:"last_response_status"` // 0: no answer was read
	LastErrorCode      string     `json:"last_error_code"`
	CoalesceKey        string     `json:"coalesce_key"`
	SupersededBy       string     `json:"superseded_by"`
	CreatedAt          time.Time  `json:"created_at"`
	ClosedAt           *time.Time `json:"closed_at"`

	Attempts []Attempt `json:"attempts"` // of one delivery only
}

// Attempt is one request that was made.
type Attempt struct {
	Number         int       `json:"number"`
	Trigger        string    `json:"trigger"`
	ScheduledAt    time.Time `json:"scheduled_at"`
	StartedAt      time.Time `json:"started_at"`
	DurationMS     int64     `json:"duration_ms"`
	ResponseStatus int       `json:"response_status"` // 0: no answer was read
	ErrorCode      string    `json:"error_code"`      // "": it succeeded
	Error          string    `json:"error"`
	ResponseBody   string    `json:"response_body"`
}

// Duration is how long the attempt took.
func (a Attempt) Duration() time.Duration { return time.Duration(a.DurationMS) * time.Millisecond }

// Event is one of /v1/events.
type Event struct {
	ID             string    `json:"id"`
	Tenant         string    `json:"tenant"`
	Type           string    `json:"type"`
	ContentType    string    `json:"content_type"`
	IdempotencyKey string    `json:"idempotency_key"`
	CoalesceKey    string    `json:"coalesce_key"`
	EntityVersion  string    `json:"entity_version"`
	ExternalID     string    `json:"external_id"`
	SourceID       string    `json:"source_id"` // "": it was published
	Headers        []Header  `json:"headers"`
	OccurredAt     time.Time `json:"occurred_at"`
	AcceptedAt     time.Time `json:"accepted_at"`
}

// Header is a header field.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Endpoint is one of /v1/webhook_endpoints.
type Endpoint struct {
	ID             string            `json:"id"`
	Tenant         string            `json:"tenant"`
	URL            string            `json:"url"`
	Policy         string            `json:"policy"`
	EventTypes     []string          `json:"event_types"`
	MaxInFlight    int               `json:"max_in_flight"`
	RateLimit      *float64          `json:"rate_limit"` // nil: no limit
	FIFO           bool              `json:"fifo"`
	Filter         string            `json:"filter"`
	Headers        map[string]string `json:"headers"`
	SecretHeaders  []string          `json:"secret_headers"`
	AtMostOnce     bool              `json:"at_most_once"`
	Description    string            `json:"description"`
	Metadata       map[string]string `json:"metadata"`
	Status         string            `json:"status"`
	DisabledReason string            `json:"disabled_reason"`

	ConsecutiveFailures int        `json:"consecutive_failures"`
	FirstFailureAt      *time.Time `json:"first_failure_at"`
	LastFailureAt       *time.Time `json:"last_failure_at"`
	LastSuccessAt       *time.Time `json:"last_success_at"`
	PausedUntil         *time.Time `json:"paused_until"`
	Circuit             string     `json:"circuit"`
	Limit               int        `json:"limit"` // at this moment

	Pending              *int      `json:"pending"`   // nil: not counted
	InFlight             *int      `json:"in_flight"` // likewise
	OldestPendingSeconds *int64    `json:"oldest_pending_age_seconds"`
	CreatedAt            time.Time `json:"created_at"`
	UpdatedAt            time.Time `json:"updated_at"`
	ReplayedCount        int       `json:"replayed_count"` // in the answer to enabling it
	Secret               string    `json:"secret"`         // in the answer to its creation
}

// Policy is one of /v1/policies.
type Policy struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Preset      bool   `json:"preset"`
	YAML        string `json:"yaml"`
}

// Found is something that a search names.
type Found struct {
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	Tenant  string `json:"tenant"`
	Title   string `json:"title"`
	Matched string `json:"matched"`
}

// Search is what /v1/search found.
type Search struct {
	Data        []Found `json:"data"`
	NeedsTenant bool    `json:"needs_tenant"`
}

// Latency is how long attempts took, in milliseconds; nil: there were none.
type Latency struct {
	P50 *float64 `json:"latency_p50_ms"`
	P95 *float64 `json:"latency_p95_ms"`
	P99 *float64 `json:"latency_p99_ms"`
}

// Now is /v1/stats/now.
type Now struct {
	At                 time.Time `json:"at"`
	WindowSeconds      float64   `json:"window_seconds"`
	PublishedPerSecond float64   `json:"published_per_second"`
	AttemptsPerSecond  float64   `json:"attempts_per_second"`
	SuccessRate        *float64  `json:"success_rate"` // nil: there were no attempts
	Latency
	Processes int `json:"processes"`

	Pending        int  `json:"pending"`
	PendingAtLeast bool `json:"pending_at_least"`
	InFlight       int  `json:"in_flight"`
	Endpoints      int  `json:"webhook_endpoints_with_pending"`

	OldestSeconds        float64 `json:"oldest_pending_age_seconds"`
	OldestHealthySeconds float64 `json:"oldest_healthy_pending_age_seconds"`
}

// Series is /v1/stats/series.
type Series struct {
	Data []Hour `json:"data"`
}

// Hour is what one hour's attempts came to.
type Hour struct {
	Hour   time.Time `json:"hour"`
	Sent   int64     `json:"sent"`
	OK     int64     `json:"ok"`
	Failed int64     `json:"failed"`
	Latency
}

// Lag is /v1/stats/lag.
type Lag struct {
	OldestSeconds        float64 `json:"oldest_pending_age_seconds"`
	OldestHealthySeconds float64 `json:"oldest_healthy_pending_age_seconds"`
	Pending              int     `json:"pending"`
	PendingAtLeast       bool    `json:"pending_at_least"`
	InFlight             int     `json:"in_flight"`
	EndpointsWithPending int     `json:"webhook_endpoints_with_pending"`
	Endpoints            []Lane  `json:"webhook_endpoints"`
}

// Lane is how far behind one endpoint is.
type Lane struct {
	ID                  string     `json:"id"`
	Tenant              string     `json:"tenant"`
	URL                 string     `json:"url"`
	Status              string     `json:"status"`
	Pending             int        `json:"pending"`
	InFlight            int        `json:"in_flight"`
	Limit               int        `json:"limit"`
	MaxInFlight         int        `json:"max_in_flight"`
	OldestSeconds       float64    `json:"oldest_pending_age_seconds"`
	ConsecutiveFailures int        `json:"consecutive_failures"`
	PausedUntil         *time.Time `json:"paused_until"`
	LastErrorCode       string     `json:"last_error_code"`
	Healthy             bool       `json:"healthy"`
	Circuit             string     `json:"circuit"`
	DisabledReason      string     `json:"disabled_reason"`
	LastSuccessAt       *time.Time `json:"last_success_at"`
}

// At is an instant that may be absent: then it is the zero time.
func At(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// Seconds is a length of time that the API gives in seconds.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

package policy

import (
	"slices"
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// Policy is one delivery contract. It comes from Parse or Preset, is shared by
// all who use it, and is read only.
//
// Redirects are not part of it: they are never followed, and a 3xx is never a
// success (F02, S01, R02, D01).
type Policy struct {
	Name        string // [a-z0-9-]{1,64}
	Description string

	Deadline    time.Duration // for one whole attempt, from DNS to the last byte that is read
	Lease       time.Duration // after which a silent worker's claim is void (F12)
	MaxInFlight int           // an endpoint's limit if it has none of its own (F03, S09)

	// RateLimit and FIFO hold for endpoints that do not say otherwise; D06 has
	// neither. The limit is in attempts a second over all processes, at most
	// 10,000 and perhaps a fraction; 0: none. FIFO: strictly ordered.
	RateLimit float64
	FIFO      bool

	Success  []Condition // statuses that succeed
	Response Response

	Schedule   Backoff
	RetryAfter RetryAfter
	GiveUp     GiveUp
	Failures   []Rule // the first that matches applies; what none matches is retried

	Circuit circuit.Settings

	Headers   Headers
	Signature Signature
	Envelope  Envelope

	Redeliver      []delivery.State  // states that may be replayed (R05)
	ReplayOnEnable bool              // enabling an endpoint replays all its dead deliveries (R06)
	RecordSkips    []delivery.Reason // skips that leave a record (D07)
}

// Response says what is done with a response's body.
type Response struct {
	ReadLimit  int // bytes that are read at most; 0: the body is not read at all (F01)
	KeepFailed int // bytes of a failed response that are kept for the operator (S01)

	// BrokenBodyFails makes a failure of a success status whose body broke off
	// (D03). A body that is not complete at the deadline fails regardless.
	BrokenBodyFails bool
}

// BackoffKind is how waits are computed.
type BackoffKind string

// The kinds of backoff.
const (
	Table       BackoffKind = "table"
	Exponential BackoffKind = "exponential"
)

// Anchor is what a wait is counted from.
type Anchor string

// The anchors. With Scheduled an attempt that was late does not make the next
// one late as well (D04).
const (
	Finished  Anchor = "finished"
	Scheduled Anchor = "scheduled"
)

// Backoff says when the attempt after a failed one is due.
type Backoff struct {
	Kind BackoffKind

	Waits  []time.Duration // Table: the pause after failed attempt 1, 2, …
	Repeat bool            // Table: the last wait repeats; otherwise the table's end is the end

	Base   time.Duration // Exponential: min(Cap, Base × Factor^(n-1)) after failed attempt n
	Factor float64
	Cap    time.Duration

	Jitter     Jitter
	Anchor     Anchor
	FirstDelay time.Duration // from acceptance to the first attempt

	// MinimumWait is the least time between the end of an attempt and the
	// next, whatever the jitter: a retry is never immediate (F07). 0: none.
	MinimumWait time.Duration
}

// JitterKind is how randomness changes a wait w.
type JitterKind string

// The kinds of jitter; u is uniform in [0,1).
const (
	NoJitter       JitterKind = "none"     // w
	EqualJitter    JitterKind = "equal"    // w/2 + u×w/2 (F07)
	FullJitter     JitterKind = "full"     // u×w (G06)
	PercentJitter  JitterKind = "percent"  // w ± Percent (S02, A03, R01)
	AdditiveJitter JitterKind = "additive" // w + 0…Percent in whole seconds, never minus (D04)
)

// Jitter spreads retries.
type Jitter struct {
	Kind    JitterKind
	Percent float64 // PercentJitter and AdditiveJitter: 0 < Percent <= 100
}

// RetryAfter says which answers' Retry-After is obeyed: as a floor under the
// wait, after jitter, that is itself capped.
type RetryAfter struct {
	On  []Condition // empty: never
	Cap time.Duration
}

// AgeFrom is what a delivery's age is counted from.
type AgeFrom string

// Where age begins. A replay begins both anew (D10).
const (
	FromAccepted     AgeFrom = "accepted"
	FromFirstAttempt AgeFrom = "first_attempt"
)

// GiveUp says when a delivery is dead. No attempt is ever scheduled past the
// age: if the next one would be, the delivery is dead at once (D05, F08).
type GiveUp struct {
	Attempts int           // 0: their number alone never ends it
	Age      time.Duration // 0: age alone never ends it
	AgeFrom  AgeFrom
}

// Rule says what happens after certain failures.
type Rule struct {
	On              []Condition
	Dead            bool            // otherwise it is retried
	Reason          delivery.Reason // Dead: Rejected, Gone or TooLarge
	DisableEndpoint bool
	SlowDown        bool
}

// Signature says how a request is signed.
type Signature struct {
	Scheme Scheme
}

// Scheme is how the value of the signature header is made.
type Scheme string

// The schemes. Those that sign do with every live secret of the endpoint.
const (
	// StandardWebhooks signs "id.timestamp.body" and lists v1,<base64 of
	// HMAC-SHA256> or v1a,<base64 of ed25519> signatures, separated by spaces
	// (S04).
	StandardWebhooks Scheme = "standard-webhooks"
	// TimestampHex signs "timestamp.body" and lists v1=<hex of HMAC-SHA256>,
	// separated by commas (F10).
	TimestampHex Scheme = "timestamp-hex"
	// Unsigned sends no signature, to services that verify none and whose URL is
	// the secret. No data goes out so, only words: see Envelope.
	Unsigned Scheme = "none"
)

// FirstAttemptAt is when the first attempt of a delivery is due.
func (p *Policy) FirstAttemptAt(acceptedAt time.Time) time.Time {
	return acceptedAt.Add(p.Schedule.FirstDelay)
}

// Replayable says whether a delivery in the state may be replayed (R05).
func (p *Policy) Replayable(state delivery.State) bool {
	return slices.Contains(p.Redeliver, state)
}

// RecordsSkip says whether a skip for the reason leaves a record (D07).
func (p *Policy) RecordsSkip(reason delivery.Reason) bool {
	return slices.Contains(p.RecordSkips, reason)
}

package circuit

import "time"

// Phase is where a circuit stands.
type Phase string

// The phases. Only Closed and Open are stored: HalfOpen is Open with the pause
// over. The empty phase of a new endpoint counts as Closed.
const (
	Closed   Phase = "closed"
	Open     Phase = "open"
	HalfOpen Phase = "half_open"
)

// State is how an endpoint is doing. The zero value is a new endpoint's. It is
// owned by whoever stores it and changed only by Next, Tick and Reset.
type State struct {
	Phase Phase // Closed or Open

	ConsecutiveFailures int
	FirstFailureAt      time.Time // of those failures; zero: the last attempt succeeded
	LastFailureAt       time.Time // ever; zero: none
	LastSuccessAt       time.Time // ever; zero: none

	OpenedAt    time.Time // since when it is Open, over all its pauses; zero: Closed
	OpenedCount int       // pauses since OpenedAt
	PausedUntil time.Time // end of the last of them; zero: Closed

	SlowLevel     int       // how many times the limit is halved
	SlowedAt      time.Time // last halving; zero: none
	SlowStreak    int       // slow answers in a row, towards a halving
	SlowSuccesses int       // successes in good time, towards undoing one

	WarnedLevel int       // warnings given since FirstFailureAt
	DisabledAt  time.Time // when Next said to disable the endpoint; zero: it did not
}

// PhaseAt is the phase that an instant sees.
func (s State) PhaseAt(now time.Time) Phase {
	switch {
	case s.Phase != Open:
		return Closed
	case now.Before(s.PausedUntil):
		return Open
	default:
		return HalfOpen
	}
}

// Reset is the state of an endpoint that a person enables again: what is known
// of its past stays, what was held against it goes.
func (s State) Reset() State {
	return State{Phase: Closed, LastFailureAt: s.LastFailureAt, LastSuccessAt: s.LastSuccessAt}
}

// Result is what one attempt says about its endpoint. ClaimedAt and At must
// come from the same clock, the one that ClaimLimit is asked with.
type Result struct {
	// Success and Failure are both false if nothing is known, as after a
	// worker was interrupted: such a result changes nothing.
	Success bool
	Failure bool

	SlowDown   bool // the policy says that this answer slows the endpoint down
	DisableNow bool // the policy says that this answer disables it (410)

	ClaimedAt time.Time     // when the attempt was claimed
	At        time.Time     // when it was completed
	Took      time.Duration // how long the request took
}

// SignalKind says what someone may want to be told.
type SignalKind string

// The signals.
const (
	CircuitOpened    SignalKind = "circuit_opened"
	CircuitClosed    SignalKind = "circuit_closed"
	EndpointFailing  SignalKind = "endpoint_failing"
	EndpointDisabled SignalKind = "endpoint_disabled"
)

// SignalKinds lists every kind of signal.
var SignalKinds = []SignalKind{CircuitOpened, CircuitClosed, EndpointFailing, EndpointDisabled}

// DisableReason says why an endpoint is disabled.
type DisableReason string

// Why an endpoint is disabled by the system.
const (
	DisabledGone     DisableReason = "gone"                 // its answer said so
	DisabledFailures DisableReason = "consecutive_failures" // too many in a row
	DisabledDuration DisableReason = "failing_too_long"     // for too long
)

// Signal is something that happened to an endpoint. Whoever stores the state
// that came with it must store the signal in the same transaction.
type Signal struct {
	Kind   SignalKind
	At     time.Time
	Reason DisableReason // EndpointDisabled: why

	ConsecutiveFailures int
	FailingSince        time.Time     // zero: it is not
	FailingFor          time.Duration // EndpointFailing: the warning's threshold
	PausedUntil         time.Time     // CircuitOpened: end of the first pause
}

package circuit

import "time"

// Kind is how an endpoint that keeps failing is treated.
type Kind string

// The kinds of circuit.
const (
	// None never pauses.
	None Kind = "none"
	// Escalating pauses longer with every further failure, and afterwards lets
	// as many through as usual (F11).
	Escalating Kind = "escalating"
	// HalfOpenProbe doubles its pause each time, and afterwards lets exactly
	// one delivery through (G07, S09).
	HalfOpenProbe Kind = "half_open"
)

// Kinds lists every kind.
var Kinds = []Kind{None, Escalating, HalfOpenProbe}

// Settings is what a policy says about its endpoints' circuits. Read only.
type Settings struct {
	Kind Kind

	// Failures in a row that open the circuit; at least 1 unless Kind is None.
	Failures int

	// Pause is the first pause. Escalating adds as much again for every
	// further failure; HalfOpenProbe doubles it for every failed probe.
	Pause    time.Duration
	MaxPause time.Duration

	SlowDown SlowDown
	Disable  Disable
}

// SlowDown says when an endpoint's limit is halved (down to 1) and when it is
// doubled again. Its zero value never slows down.
type SlowDown struct {
	// RestoreAfter is how many successes in good time undo one halving; 0
	// turns slowing down off.
	RestoreAfter int

	// SlowerThan and InARow recognise an endpoint that is slow consistently
	// (R09): so many answers in a row that took longer. 0: only what the
	// policy's rules name (S03: 429, 502, 504) slows it down.
	SlowerThan time.Duration
	InARow     int
}

// Disable says when a failing endpoint is given up on. Its zero value never
// does.
type Disable struct {
	// Failures in a row (R06); 0: their number alone disables nothing.
	Failures int

	// After is how long an endpoint may go on failing without one success
	// (F14, S08, R06), counted from the first failure: an endpoint that was
	// idle before is not to blame for it. 0: time alone disables nothing.
	After time.Duration

	// MinAttempts is how many attempts must have failed in that time (R06).
	MinAttempts int

	// Warn lists, in ascending order, how long an endpoint fails before
	// someone is warned of it (S08).
	Warn []time.Duration
}

package recovery

import (
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Invalid says why a window cannot be recovered. Its text is for the user.
type Invalid string

// Every reason.
const (
	ErrNoSince     Invalid = "say from when on to recover: since is missing"
	ErrFuture      Invalid = "since lies in the future: nothing can be recovered yet"
	ErrEmptyWindow Invalid = "until must be later than since"
	ErrState       Invalid = "only skipped, dead and discarded deliveries can be recovered"
)

func (i Invalid) Error() string { return string(i) }

// recoverable are the states that a recovery may be asked for. Of what was skipped,
// it is about what the endpoint missed while it was disabled, and nothing that it
// never wanted: storage looks at the reasons (D07). What was delivered arrived,
// what was superseded was replaced by something newer (F13), what was resolved is
// somebody's decision that is on record with its reason (D11).
var recoverable = []delivery.State{delivery.Skipped, delivery.Dead, delivery.Discarded}

// usual are those that it is about unless others are named.
var usual = []delivery.State{delivery.Skipped, delivery.Dead}

// Request is what a recovery is asked to be about: deliveries of events from
// Since up to, and not including, Until.
type Request struct {
	Since  time.Time
	Until  time.Time        // zero: the present
	States []delivery.State // empty: skipped and dead
}

// Checked is the request with its defaults, or an Invalid.
func (r Request) Checked(now time.Time) (Request, error) {
	switch {
	case r.Since.IsZero():
		return Request{}, ErrNoSince
	case !r.Since.Before(now):
		return Request{}, ErrFuture
	case !r.Until.IsZero() && !r.Until.After(r.Since):
		return Request{}, ErrEmptyWindow
	}
	if len(r.States) == 0 {
		r.States = usual
	}
	var states []delivery.State
	for _, state := range recoverable { // in one order, each once
		if slices.Contains(r.States, state) {
			states = append(states, state)
		}
	}
	if slices.ContainsFunc(r.States, func(s delivery.State) bool { return !slices.Contains(recoverable, s) }) {
		return Request{}, ErrState
	}
	r.States = states
	return r, nil
}

package delivery

import (
	"slices"
	"time"
)

// Standing is what is known of how long an endpoint takes to answer. Whoever is
// not trusted may hold only a share of a process's slots (docs/decisions/0005).
type Standing string

// The standings, as the lanes' table has them.
const (
	Unheard Standing = "unheard" // no attempt has ended yet
	Trusted Standing = "trusted" // the last answer came in good time
	Slow    Standing = "slow"    // it took over SlowAnswer, or the deadline passed without it
)

// SlowAnswer is how long an attempt may take before its endpoint counts as one
// that holds up a worker's slots.
const SlowAnswer = time.Second

// UnheardInFlight is how many deliveries of an unheard endpoint may be in flight,
// over all processes: one finds out what it is like.
const UnheardInFlight = 1

// After is the standing once an attempt has ended. One that we cut short ourselves
// is no answer, but the time that it was waited for counts.
func (s Standing) After(outcome Outcome) Standing {
	switch {
	case outcome.Duration > SlowAnswer:
		return Slow
	case outcome.Error == InterruptedSend:
		return s
	default:
		return Trusted
	}
}

// Room is what a claim may take of endpoints that are not trusted.
type Room struct {
	Suspects int // deliveries of unheard and slow endpoints together
	Slow     int // deliveries of slow ones, and of those in Hanging
	// Hanging are endpoints with an attempt under way for over SlowAnswer. Whatever
	// their standing was when it began, they count as slow.
	Hanging []ID
}

// StandingOf is what an endpoint counts as.
func (r Room) StandingOf(id ID, known Standing) Standing {
	if slices.Contains(r.Hanging, id) {
		return Slow
	}
	return known
}

// For is how many deliveries of endpoints of a standing the room allows, of n.
func (r Room) For(standing Standing, n int) int {
	switch standing {
	case Trusted:
		return n
	case Slow:
		return max(0, min(n, r.Suspects, r.Slow))
	default:
		return max(0, min(n, r.Suspects))
	}
}

// Take is the room that is left after one delivery of an endpoint.
func (r Room) Take(standing Standing) Room {
	if standing != Trusted {
		r.Suspects--
	}
	if standing == Slow {
		r.Slow--
	}
	return r
}

// TakeAll is the room that is left after the claims.
func (r Room) TakeAll(claims []*Claim) Room {
	for _, c := range claims {
		r = r.Take(r.StandingOf(c.Endpoint.ID, c.Standing))
	}
	return r
}

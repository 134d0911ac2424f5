package demo

import (
	"net/http"
	"time"

	"github.com/malotehq/malote/internal/receiver"
)

// expectation is what must come of an endpoint's deliveries.
type expectation int

const (
	// healthy: every one arrives, and soon.
	healthy expectation = iota
	// settling: as many as can be until the demo's end; it waits for them.
	settling
	// troubled: nothing but an explanation.
	troubled
)

// character is how an endpoint's receiver behaves. How slow is too slow depends
// on the deadline of the endpoint's policy.
type character struct {
	label  string // shown; "" of those that just work
	expect expectation
	manner func(deadline time.Duration) receiver.Manner
}

func fixed(manner receiver.Manner) func(time.Duration) receiver.Manner {
	return func(time.Duration) receiver.Manner { return manner }
}

// The outages begin when publishing is well under way.
const (
	outageFrom = 4 * time.Second
	outageTo   = 8 * time.Second
)

var (
	fast = character{"", healthy, fixed(receiver.Jittered(0, 15*time.Millisecond, receiver.Polite()))}

	slow = character{"near the deadline", settling, func(deadline time.Duration) receiver.Manner {
		return receiver.Jittered(deadline*8/10, deadline*9/10, receiver.Polite())
	}}
	late = character{"past the deadline", troubled, func(deadline time.Duration) receiver.Manner {
		return receiver.Delayed(deadline+time.Second, receiver.Polite())
	}}
	outage      = character{"503 for a while", settling, fixed(receiver.During(outageFrom, outageTo, receiver.Status(http.StatusServiceUnavailable), receiver.Polite()))}
	resetOutage = character{"resets for a while", settling, fixed(receiver.During(outageFrom, outageTo, receiver.Resetting(), receiver.Polite()))}
	dripping    = character{"drips its answer", settling, fixed(receiver.Dripping(20, 50*time.Millisecond))}
	breaking    = character{"breaks off", settling, fixed(receiver.BreakingOff())}

	broken      = character{"500", troubled, fixed(receiver.Status(http.StatusInternalServerError))}
	unavailable = character{"503", troubled, fixed(receiver.Status(http.StatusServiceUnavailable))}
	gone        = character{"410", troubled, fixed(receiver.Status(http.StatusGone))}
	tooLarge    = character{"413", troubled, fixed(receiver.Status(http.StatusRequestEntityTooLarge))}
	busy        = character{"429", troubled, fixed(receiver.Every(3, receiver.Polite(), receiver.Busy(http.StatusTooManyRequests, 8*time.Second)))}
	moved       = character{"302", troubled, fixed(receiver.Redirect(http.StatusFound, "/moved"))}
	temporary   = character{"307", troubled, fixed(receiver.Redirect(http.StatusTemporaryRedirect, "/moved"))}
	resetting   = character{"resets", troubled, fixed(receiver.Resetting())}
	silent      = character{"never answers", troubled, fixed(receiver.Silent())}
)

package endpoints

import (
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

// condition is how an endpoint is doing, as one word: what matters most of its
// status, its circuit and its failures.
type condition string

const (
	healthy       condition = "healthy"
	unused        condition = "unused" // nothing was sent to it yet
	failing       condition = "failing"
	slowed        condition = "slowed" // it asked for less
	probed        condition = "probed" // its circuit is half open
	opened        condition = "opened" // its circuit is open
	paused        condition = "paused"
	disabledByOne condition = "disabled_by_user"
	disabledByUs  condition = "disabled_by_system"
)

func conditionOf(e records.Endpoint) condition {
	switch {
	case e.Status == "paused":
		return paused
	case e.Status == "disabled_by_system":
		return disabledByUs
	case e.Status != "active":
		return disabledByOne
	case e.Circuit == "open":
		return opened
	case e.Circuit == "half_open":
		return probed
	case e.ConsecutiveFailures > 0:
		return failing
	case e.Limit < e.MaxInFlight:
		return slowed
	case e.LastSuccessAt == nil && e.LastFailureAt == nil:
		return unused
	default:
		return healthy
	}
}

func (c condition) tone() ui.Tone {
	switch c {
	case healthy:
		return ui.Good
	case unused, disabledByOne:
		return ui.Muted
	case opened, disabledByUs:
		return ui.Bad
	default:
		return ui.Warn
	}
}

func (c condition) icon() string {
	switch c {
	case healthy, unused:
		return "play"
	case paused:
		return "pause"
	case disabledByOne:
		return "off"
	case slowed:
		return "clock"
	case probed:
		return "test"
	default:
		return "warning"
	}
}

func (c condition) disabled() bool { return c == disabledByOne || c == disabledByUs }

// circuitHolds says whether the circuit is what keeps deliveries back.
func (c condition) circuitHolds() bool { return c == opened || c == probed }

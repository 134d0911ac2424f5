package circuit

import (
	"math/bits"
	"time"
)

// ClaimLimit is how many of the endpoint's deliveries may be in flight at the
// instant, over all workers; what is in flight already counts against it.
func ClaimLimit(settings Settings, state State, maxInFlight int, now time.Time) int {
	if maxInFlight < 1 || !state.DisabledAt.IsZero() {
		return 0
	}
	slowed := max(1, maxInFlight>>min(state.SlowLevel, bits.UintSize-1))
	if settings.Kind == None || settings.Kind == "" {
		return slowed
	}
	switch state.PhaseAt(now) {
	case Open:
		return 0
	case HalfOpen:
		if settings.Kind == HalfOpenProbe {
			return 1
		}
	}
	return slowed
}

// slowDown halves or restores the limit. One answer halves it at most once per
// round trip: the answers of attempts that were already under way at the last
// halving say what was known then.
func slowDown(settings SlowDown, state State, result Result, maxInFlight int) State {
	if settings.RestoreAfter <= 0 {
		state.SlowLevel, state.SlowStreak, state.SlowSuccesses, state.SlowedAt = 0, 0, 0, time.Time{}
		return state
	}
	slow := settings.InARow > 0 && result.Took > settings.SlowerThan
	if !result.SlowDown && !slow {
		state.SlowStreak = 0
		return restore(settings, state, result)
	}
	state.SlowSuccesses = 0
	if result.ClaimedAt.Before(state.SlowedAt) {
		return state
	}
	if slow {
		state.SlowStreak++
	}
	if result.SlowDown || state.SlowStreak >= settings.InARow {
		state.SlowStreak = 0
		state.SlowedAt = result.At
		state.SlowLevel = min(state.SlowLevel+1, max(0, bits.Len(uint(max(maxInFlight, 0)))-1))
	}
	return state
}

func restore(settings SlowDown, state State, result Result) State {
	if !result.Success || state.SlowLevel == 0 {
		return state
	}
	state.SlowSuccesses++
	if state.SlowSuccesses >= settings.RestoreAfter {
		state.SlowLevel, state.SlowSuccesses = state.SlowLevel-1, 0
	}
	return state
}

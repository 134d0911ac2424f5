package circuit

import "time"

// Tick gives the warnings that became due by time alone, for an endpoint whose
// next failure may be hours away. It never disables: that needs a failure as
// evidence, not just a clock that went on while nothing was sent. Call it only
// for endpoints with open deliveries.
func Tick(settings Settings, state State, now time.Time) (State, []Signal) {
	return warn(settings.Disable, state, now, nil)
}

// warn adds one signal for every threshold passed since the last warning.
func warn(settings Disable, state State, now time.Time, signals []Signal) (State, []Signal) {
	if state.FirstFailureAt.IsZero() || !state.DisabledAt.IsZero() {
		return state, signals
	}
	for state.WarnedLevel < len(settings.Warn) {
		threshold := settings.Warn[state.WarnedLevel]
		if now.Sub(state.FirstFailureAt) < threshold {
			break
		}
		state.WarnedLevel++
		warning := signal(EndpointFailing, state, now)
		warning.FailingFor = threshold
		signals = append(signals, warning)
	}
	return state, signals
}

func whyDisable(settings Disable, state State, result Result) DisableReason {
	failingFor := state.LastFailureAt.Sub(state.FirstFailureAt)
	switch {
	case result.DisableNow:
		return DisabledGone
	case settings.Failures > 0 && state.ConsecutiveFailures >= settings.Failures:
		return DisabledFailures
	case settings.After > 0 && failingFor >= settings.After &&
		state.ConsecutiveFailures >= settings.MinAttempts:
		return DisabledDuration
	default:
		return ""
	}
}

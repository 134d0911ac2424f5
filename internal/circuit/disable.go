package circuit

import "time"

// Tick gives the warnings that became due by time alone, for an endpoint whose
// next failure may be hours away (S08). It may be called for any endpoint, as
// often as one likes, whether or not anything is pending: it says nothing twice,
// its only signal is EndpointFailing and all that it changes is the count of
// warnings. The caller holds the stored state locked from reading to writing it,
// or a result that came in between is lost, and stores the signals with it.
//
// Tick never disables, not even where five days (F14, S08) or R06's day have
// passed: the next failure does. A disabled endpoint misses new events, and only
// a failure that late shows that it is not well again; an old one shows nothing
// but that nothing was sent since. What this costs is one wait of the schedule
// at most. If an attempt is due, it decides; if none is, there is nothing that
// an endpoint left alone could do harm to.
//
// A warning costs less, so less is asked for: see warn.
func Tick(settings Settings, state State, now time.Time) (State, []Signal) {
	return warn(settings.Disable, state, now, nil)
}

// warn adds one signal for every threshold passed since the last warning. The
// failures must reach into the second half of the time warned of: one that
// nothing came after for days is no sign of days of failing, while the growing
// waits of every preset leave no such gap.
func warn(settings Disable, state State, now time.Time, signals []Signal) (State, []Signal) {
	if state.FirstFailureAt.IsZero() || !state.DisabledAt.IsZero() {
		return state, signals
	}
	for state.WarnedLevel < len(settings.Warn) {
		threshold := settings.Warn[state.WarnedLevel]
		if now.Sub(state.FirstFailureAt) < threshold || state.failedFor() < threshold/2 {
			break
		}
		state.WarnedLevel++
		warning := signal(EndpointFailing, state, now)
		warning.FailingFor = threshold
		signals = append(signals, warning)
	}
	return state, signals
}

// failedFor is the time that the failures in a row cover. What passed since the
// last of them proves nothing.
func (s State) failedFor() time.Duration { return s.LastFailureAt.Sub(s.FirstFailureAt) }

func whyDisable(settings Disable, state State, result Result) DisableReason {
	switch {
	case result.DisableNow:
		return DisabledGone
	case settings.Failures > 0 && state.ConsecutiveFailures >= settings.Failures:
		return DisabledFailures
	case settings.After > 0 && state.failedFor() >= settings.After &&
		state.ConsecutiveFailures >= settings.MinAttempts:
		return DisabledDuration
	default:
		return ""
	}
}

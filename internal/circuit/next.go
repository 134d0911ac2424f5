package circuit

import (
	"math/bits"
	"time"
)

// Next is the state after a result, with what is worth telling. The package's
// documentation has the table of transitions. maxInFlight is the endpoint's
// limit, which bounds how often it can be halved.
func Next(settings Settings, state State, result Result, maxInFlight int) (State, []Signal) {
	if state.Phase == "" || settings.Kind == None || settings.Kind == "" {
		state = closed(state) // also when the policy was changed while it was open
	}
	switch {
	case result.Success:
		state = slowDown(settings.SlowDown, state, result, maxInFlight)
		return succeed(settings, state, result)
	case result.Failure:
		state = slowDown(settings.SlowDown, state, result, maxInFlight)
		return fail(settings, state, result)
	default:
		return state, nil
	}
}

func closed(state State) State {
	state.Phase = Closed
	state.OpenedAt, state.OpenedCount, state.PausedUntil = time.Time{}, 0, time.Time{}
	return state
}

func succeed(settings Settings, state State, result Result) (State, []Signal) {
	state.LastSuccessAt = later(state.LastSuccessAt, result.At)
	wasOpen := state.Phase == Open
	if wasOpen && !isProbe(settings, state, result.ClaimedAt) {
		return state, nil // a straggler: it says nothing about now
	}
	state = closed(state)
	state.ConsecutiveFailures, state.FirstFailureAt, state.WarnedLevel = 0, time.Time{}, 0
	if !wasOpen {
		return state, nil
	}
	return state, []Signal{{Kind: CircuitClosed, At: result.At}}
}

// isProbe says whether an attempt was claimed after a pause of the present
// spell had ended: the last pause, or the first, which a later one may have
// followed since. Comparing with OpenedAt instead would mistake a claim that
// raced the opening by a millisecond for a probe.
func isProbe(settings Settings, state State, claimedAt time.Time) bool {
	return !claimedAt.Before(state.PausedUntil) ||
		!claimedAt.Before(state.OpenedAt.Add(times(settings, 1)))
}

func fail(settings Settings, state State, result Result) (State, []Signal) {
	state.ConsecutiveFailures++
	if state.FirstFailureAt.IsZero() || result.At.Before(state.FirstFailureAt) {
		state.FirstFailureAt = result.At
	}
	state.LastFailureAt = later(state.LastFailureAt, result.At)

	var signals []Signal
	wasOpen := state.Phase == Open
	state = pause(settings, state, result)
	if !wasOpen && state.Phase == Open {
		signals = append(signals, signal(CircuitOpened, state, result.At))
	}
	state, signals = warn(settings.Disable, state, result.At, signals)
	if reason := whyDisable(settings.Disable, state, result); reason != "" && state.DisabledAt.IsZero() {
		state.DisabledAt = result.At
		disabled := signal(EndpointDisabled, state, result.At)
		disabled.Reason = reason
		signals = append(signals, disabled)
	}
	return state, signals
}

// pause opens the circuit or extends its pause. ConsecutiveFailures already
// counts the failure.
func pause(settings Settings, state State, result Result) State {
	opens := state.Phase != Open
	if settings.Kind == None || settings.Kind == "" || opens && state.ConsecutiveFailures < settings.Failures {
		return state
	}
	probeFailed := !opens && !result.ClaimedAt.Before(state.PausedUntil)
	if opens {
		state.Phase, state.OpenedAt = Open, result.At
	}
	if opens || probeFailed {
		state.OpenedCount++
	}
	switch {
	case settings.Kind == Escalating:
		steps := max(1, state.ConsecutiveFailures-settings.Failures+1)
		state.PausedUntil = later(state.PausedUntil, result.At.Add(times(settings, steps)))
	case opens || probeFailed:
		doublings := min(state.OpenedCount-1, bits.UintSize-2)
		state.PausedUntil = later(state.PausedUntil, result.At.Add(times(settings, 1<<doublings)))
	}
	return state
}

// times is a multiple of the pause, at most MaxPause; it cannot overflow.
func times(settings Settings, n int) time.Duration {
	if settings.Pause <= 0 || n > int(settings.MaxPause/settings.Pause) {
		return settings.MaxPause
	}
	return settings.Pause * time.Duration(n)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func signal(kind SignalKind, state State, at time.Time) Signal {
	return Signal{
		Kind: kind, At: at, ConsecutiveFailures: state.ConsecutiveFailures,
		FailingSince: state.FirstFailureAt, PausedUntil: state.PausedUntil,
	}
}

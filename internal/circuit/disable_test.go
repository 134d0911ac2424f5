package circuit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const day = 24 * time.Hour

var fiveDays = Disable{After: 5 * day, Warn: []time.Duration{day, 3 * day}, MinAttempts: 1}

func TestStandard_S08_WarnsAfterOneAndThreeDaysThenDisables(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{Disable: fiveDays}, 10)
	seen := map[SignalKind][]time.Duration{}
	for e.now.Sub(start) <= 6*day {
		before := len(e.signals)
		e.fail(1)
		for _, kind := range e.signals[before:] {
			seen[kind] = append(seen[kind], e.now.Sub(start))
		}
		e.wait(6 * time.Hour)
	}
	require.Equal(t, []time.Duration{day, 3 * day}, seen[EndpointFailing])
	require.Equal(t, []time.Duration{5 * day}, seen[EndpointDisabled], "once, though failures went on")
	require.Zero(t, e.claimable(), "its pending deliveries stop, and stay")
}

func TestFairQueue_F14_ASuccessStartsTheFiveDaysAnew(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{Disable: fiveDays}, 4)
	for range 3 {
		e.fail(1)
		e.wait(5*day - time.Second)
		e.fail(1)
		e.succeed(1)
		e.wait(day)
	}
	require.NotContains(t, e.signals, EndpointDisabled)
	require.Len(t, e.signals, 6, "but it is warned of each time")
}

func TestStandard_S08_TickWarnsWhileTheNextFailureIsHoursAway(t *testing.T) {
	t.Parallel()
	settings := Settings{Disable: fiveDays}
	e := newEndpoint(t, settings, 10)
	e.fail(1)
	e.wait(12 * time.Hour)
	e.fail(1)
	_, signals := Tick(settings, e.state, start.Add(day-time.Second))
	require.Empty(t, signals)
	state, signals := Tick(settings, e.state, start.Add(day))
	require.Len(t, signals, 1)
	require.Equal(t, Signal{
		Kind: EndpointFailing, At: start.Add(day), ConsecutiveFailures: 2, FailingSince: start, FailingFor: day,
	}, signals[0])
	warned := e.state
	warned.WarnedLevel = 1
	require.Equal(t, warned, state, "nothing else is changed")
	_, signals = Tick(settings, state, start.Add(2*day))
	require.Empty(t, signals, "warned already")
	_, signals = Tick(settings, State{}, start.Add(30*day))
	require.Empty(t, signals)
}

func TestStandard_S08_TickTakesSilenceForNoFailure(t *testing.T) {
	t.Parallel()
	settings := Settings{Disable: fiveDays}
	for spread, warnings := range map[time.Duration]int{
		0: 0, 12*time.Hour - 1: 0, 12 * time.Hour: 1, 36*time.Hour - 1: 1, 36 * time.Hour: 2, 4 * day: 2,
	} {
		e := newEndpoint(t, settings, 10)
		e.state = State{ConsecutiveFailures: 9, FirstFailureAt: start, LastFailureAt: start.Add(spread)}
		state, signals := Tick(settings, e.state, start.Add(30*day))
		require.Len(t, signals, warnings, spread)
		require.Equal(t, warnings, state.WarnedLevel)
	}
}

// However late it is and however often it asks, the clock disables nobody.
func TestFairQueue_F14_TheClockAloneDisablesNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		settings := drawSettings(t)
		settings.Disable.MinAttempts = rapid.IntRange(1, 3).Draw(t, "min attempts")
		state, now := State{}, start
		for range rapid.IntRange(0, 20).Draw(t, "failures") {
			state, _ = Next(settings, state, Result{Failure: true, ClaimedAt: now, At: now}, 4)
			now = now.Add(time.Duration(rapid.IntRange(0, 5*3600).Draw(t, "gap")) * time.Second)
		}
		told := map[time.Duration]int{}
		for range 20 {
			now = now.Add(time.Duration(rapid.IntRange(0, 5*24*3600).Draw(t, "passed")) * time.Second)
			before := state
			var signals []Signal
			state, signals = Tick(settings, state, now)
			require.Equal(t, before.WarnedLevel+len(signals), state.WarnedLevel)
			for _, s := range signals {
				require.Equal(t, EndpointFailing, s.Kind)
				told[s.FailingFor]++
			}
			before.WarnedLevel = state.WarnedLevel
			require.Equal(t, before, state)
		}
		for threshold, times := range told {
			require.Equal(t, 1, times, threshold)
		}
	})
}

// After five silent days the first failure decides, be it the last attempt's wait late.
func TestFairQueue_F14_TheNextFailureDisables(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{Disable: fiveDays}, 4)
	e.fail(1)
	e.wait(5*day - time.Second)
	e.fail(1)
	e.wait(6 * time.Hour)
	e.state, _ = Tick(e.settings, e.state, e.now)
	require.Zero(t, e.state.DisabledAt)
	e.fail(1)
	require.Equal(t, e.now, e.state.DisabledAt)
}

func TestRouta_R06_DisablesAfterAHundredFailuresInARow(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{Disable: Disable{Failures: 100, After: day, MinAttempts: 20}}, 10)
	e.fail(99)
	require.Empty(t, e.signals)
	_, signals := Next(e.settings, e.state, Result{Failure: true, ClaimedAt: e.now, At: e.now}, 10)
	require.Len(t, signals, 1)
	require.Equal(t, EndpointDisabled, signals[0].Kind)
	require.Equal(t, DisabledFailures, signals[0].Reason)
	require.Equal(t, 100, signals[0].ConsecutiveFailures)
}

func TestRouta_R06_DisablesAfterADayWithAtLeastTwentyAttempts(t *testing.T) {
	t.Parallel()
	settings := Settings{Disable: Disable{Failures: 100, After: day, MinAttempts: 20}}
	few := newEndpoint(t, settings, 10)
	few.fail(18)
	few.wait(day)
	few.fail(1)
	require.Empty(t, few.signals, "19 attempts are too few")
	few.fail(1)
	require.Equal(t, []SignalKind{EndpointDisabled}, few.signals)

	early := newEndpoint(t, settings, 10)
	early.fail(19)
	early.wait(day - time.Second)
	early.fail(1)
	require.Empty(t, early.signals, "a second short of a day")
	early.wait(time.Second)
	_, signals := Next(settings, early.state, Result{Failure: true, At: early.now}, 10)
	require.Len(t, signals, 1)
	require.Equal(t, DisabledDuration, signals[0].Reason)
}

func TestDisable_NoWarningsAfterwards(t *testing.T) {
	t.Parallel()
	settings := Settings{Disable: Disable{Failures: 1, After: 5 * day, Warn: []time.Duration{day}}}
	e := newEndpoint(t, settings, 10)
	e.fail(1)
	e.wait(2 * day)
	e.fail(1)
	_, signals := Tick(settings, e.state, e.now)
	require.Empty(t, signals)
	require.Equal(t, []SignalKind{EndpointDisabled}, e.signals)
}

// Workers record in any order; an endpoint fails since its earliest failure.
func TestDisable_CountsFromTheEarliestFailure(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{}, 10)
	e.fail(1)
	e.take(Result{Failure: true, At: start.Add(-time.Minute)})
	require.Equal(t, start.Add(-time.Minute), e.state.FirstFailureAt)
	require.Equal(t, start, e.state.LastFailureAt)
}

func TestFairQueue_F09_410DisablesAtOnce(t *testing.T) {
	t.Parallel()
	for _, settings := range []Settings{{}, fairQueue, gateway} {
		state, signals := Next(settings, State{}, Result{Failure: true, DisableNow: true, At: start}, 4)
		require.Len(t, signals, 1)
		require.Equal(t, EndpointDisabled, signals[0].Kind)
		require.Equal(t, DisabledGone, signals[0].Reason)
		require.Zero(t, ClaimLimit(settings, state, 4, start.Add(time.Hour)))

		_, signals = Next(settings, state, Result{Failure: true, DisableNow: true, At: start}, 4)
		require.Empty(t, signals, "the second 410 of the same burst is no news")
		state, _ = Next(settings, state, Result{Success: true, At: start}, 4)
		require.Zero(t, ClaimLimit(settings, state, 4, start), "only a person enables it again")
	}
}

func TestReset_ForgetsWhatWasHeldAgainstTheEndpoint(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{
		Kind: HalfOpenProbe, Failures: 2, Pause: time.Minute, MaxPause: time.Hour,
		SlowDown: SlowDown{RestoreAfter: 3}, Disable: Disable{Failures: 5},
	}, 8)
	e.succeed(1)
	e.take(Result{Failure: true, SlowDown: true})
	e.fail(5)
	require.Zero(t, e.claimable())
	e.state = e.state.Reset()
	require.Equal(t, State{Phase: Closed, LastFailureAt: start, LastSuccessAt: start}, e.state)
	require.Equal(t, 8, e.claimable())
	e.signals = nil
	e.fail(5)
	require.Contains(t, e.signals, EndpointDisabled, "it can be disabled again")
}

// A policy that was changed must not leave an endpoint that nothing disables.
func TestDisable_WorksWhenWarningsWereTakenOutOfThePolicy(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{Disable: fiveDays}, 10)
	e.fail(1)
	e.wait(4 * day)
	e.fail(1)
	e.settings.Disable.Warn = nil
	e.wait(day)
	e.fail(1)
	require.Contains(t, e.signals, EndpointDisabled)
}

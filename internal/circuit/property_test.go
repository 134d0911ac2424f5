package circuit

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawSettings(t *rapid.T) Settings {
	pause := time.Duration(rapid.IntRange(1, 120).Draw(t, "pause")) * time.Second
	return Settings{
		Kind:     rapid.SampledFrom(Kinds).Draw(t, "kind"),
		Failures: rapid.IntRange(1, 25).Draw(t, "failures"),
		Pause:    pause,
		MaxPause: pause * time.Duration(rapid.IntRange(1, 60).Draw(t, "max pause")),
		SlowDown: SlowDown{
			RestoreAfter: rapid.IntRange(0, 5).Draw(t, "restore"),
			SlowerThan:   time.Second,
			InARow:       rapid.IntRange(0, 4).Draw(t, "in a row"),
		},
		Disable: Disable{After: 5 * day, Warn: []time.Duration{day, 3 * day}, MinAttempts: 1},
	}
}

// A simulated endpoint: claims as many as it may, completes them in any order,
// and checks at every step what must always hold.
type simulation struct {
	settings Settings
	limit    int
	state    State
	now      time.Time
	inFlight []time.Time // when each was claimed
	signals  []SignalKind
}

func (s *simulation) claim(t *rapid.T) {
	allowed := ClaimLimit(s.settings, s.state, s.limit, s.now)
	require.GreaterOrEqual(t, allowed, 0)
	require.LessOrEqual(t, allowed, s.limit)
	if s.settings.Kind != None {
		switch s.state.PhaseAt(s.now) {
		case Open:
			require.Zero(t, allowed, "nothing is claimed during a pause")
		case HalfOpen:
			require.Positive(t, allowed, "an endpoint is never locked out for good")
			if s.settings.Kind == HalfOpenProbe {
				require.Equal(t, 1, allowed)
			}
		}
	}
	for len(s.inFlight) < allowed {
		s.inFlight = append(s.inFlight, s.now)
	}
}

func (s *simulation) complete(t *rapid.T) {
	if len(s.inFlight) == 0 {
		return
	}
	i := rapid.IntRange(0, len(s.inFlight)-1).Draw(t, "which")
	result := Result{
		ClaimedAt: s.inFlight[i], At: s.now,
		SlowDown: rapid.Bool().Draw(t, "slow down"),
		Took:     time.Duration(rapid.IntRange(0, 2000).Draw(t, "took")) * time.Millisecond,
	}
	switch rapid.IntRange(0, 4).Draw(t, "outcome") {
	case 0:
		result.Success = true
	case 1: // interrupted
	default:
		result.Failure = true
	}
	s.inFlight = slices.Delete(s.inFlight, i, i+1)
	before := s.state
	var signals []Signal
	s.state, signals = Next(s.settings, before, result, s.limit)
	s.check(t, before, result)
	for _, told := range signals {
		s.signals = append(s.signals, told.Kind)
	}
}

func (s *simulation) check(t *rapid.T, before State, result Result) {
	after := s.state
	if before.Phase == Open && after.Phase == Open {
		require.False(t, after.PausedUntil.Before(before.PausedUntil), "a pause never shrinks")
	}
	if after.Phase == Open && after.PausedUntil != before.PausedUntil {
		require.True(t, result.Failure, "only a failure pauses")
		pause := after.PausedUntil.Sub(result.At)
		require.GreaterOrEqual(t, pause, s.settings.Pause)
		require.LessOrEqual(t, pause, s.settings.MaxPause)
	}
	require.Equal(t, after.Phase == Open, !after.OpenedAt.IsZero())
	require.Equal(t, after.ConsecutiveFailures == 0, after.FirstFailureAt.IsZero())
	if result.Failure {
		require.Equal(t, before.ConsecutiveFailures+1, after.ConsecutiveFailures)
		require.GreaterOrEqual(t, after.SlowLevel, before.SlowLevel, "a failure never speeds up")
	}
	if result.Success {
		require.LessOrEqual(t, after.ConsecutiveFailures, before.ConsecutiveFailures)
		if before.PhaseAt(result.ClaimedAt) != Open && before.Phase == Open {
			require.Equal(t, Closed, after.Phase, "a successful probe closes the circuit")
		}
	}
	require.LessOrEqual(t, after.SlowLevel, 6, "a limit of at most 64 halves six times")
}

func TestCircuit_WhatAlwaysHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &simulation{settings: drawSettings(t), limit: rapid.IntRange(1, 64).Draw(t, "limit"), now: start}
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.now = s.now.Add(time.Duration(rapid.IntRange(1, 7200).Draw(t, "seconds")) * time.Second)
			case 1, 2:
				s.claim(t)
			default:
				s.complete(t)
			}
		}
		opened, closed := 0, 0
		for _, kind := range s.signals {
			switch kind {
			case CircuitOpened:
				opened++
			case CircuitClosed:
				closed++
			}
			require.True(t, opened == closed || opened == closed+1, "they take turns")
		}
	})
}

// However long the trouble lasted, one good probe and enough successes bring
// an endpoint back to its full limit.
func TestCircuit_AlwaysRecovers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		settings, limit := drawSettings(t), rapid.IntRange(1, 64).Draw(t, "limit")
		settings.Disable = Disable{}
		state, now := State{}, start
		for range rapid.IntRange(0, 300).Draw(t, "failures") {
			state, _ = Next(settings, state, Result{Failure: true, SlowDown: true, ClaimedAt: now, At: now}, limit)
			now = now.Add(time.Second)
		}
		now = now.Add(settings.MaxPause)
		require.Positive(t, ClaimLimit(settings, state, limit, now))
		for range 1 + 6*settings.SlowDown.RestoreAfter {
			state, _ = Next(settings, state, Result{Success: true, ClaimedAt: now, At: now}, limit)
		}
		require.Equal(t, limit, ClaimLimit(settings, state, limit, now))
	})
}

// Storage keeps microseconds; nothing may hang on the rest.
func TestCircuit_SurvivesRoundingToMicroseconds(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, gateway, 10)
	e.now = start.Add(999 * time.Nanosecond)
	e.fail(10)
	e.state.PausedUntil = e.state.PausedUntil.Truncate(time.Microsecond)
	e.state.OpenedAt = e.state.OpenedAt.Truncate(time.Microsecond)
	e.now = e.state.PausedUntil
	require.Equal(t, 1, e.claimable())
	e.succeed(1)
	require.Equal(t, 10, e.claimable())
}

func BenchmarkNext(b *testing.B) {
	settings := gateway
	settings.SlowDown = SlowDown{RestoreAfter: 10}
	settings.Disable = fiveDays
	state := State{Phase: Closed}
	b.ReportAllocs()
	for b.Loop() {
		state, _ = Next(settings, state, Result{Failure: true, ClaimedAt: start, At: start}, 10)
		state, _ = Next(settings, state, Result{Success: true, ClaimedAt: start, At: start}, 10)
	}
}

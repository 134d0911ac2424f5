package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSchedule_Dracma_D05_WithAndWithoutJitter(t *testing.T) {
	t.Parallel()
	timetable := Schedule(preset(t, "dracma"))
	require.Len(t, timetable, 16)
	require.Equal(t, Instant{
		Attempt: 15, Wait: 8 * time.Hour,
		Without: 63*time.Hour + 42*time.Minute + 30*time.Second,
		Least:   63*time.Hour + 42*time.Minute + 30*time.Second,
		Most:    70*time.Hour + 4*time.Minute + 45*time.Second,
	}, timetable[14])
	require.Equal(t, Instant{
		Attempt: 16, Wait: 8 * time.Hour,
		Without: 71*time.Hour + 42*time.Minute + 30*time.Second,
		Least:   71*time.Hour + 42*time.Minute + 30*time.Second,
		Most:    Never,
	}, timetable[15])
	fewest, most := Attempts(timetable)
	require.Equal(t, []int{15, 16}, []int{fewest, most})
}

// The timetable must be what deliveries really live through.
func TestSchedule_IsWhatHappens(t *testing.T) {
	t.Parallel()
	for _, name := range presetNames {
		p := preset(t, name)
		for _, c := range []struct {
			u      float64
			column func(Instant) time.Duration
		}{
			{0, func(i Instant) time.Duration { return i.Least }},
			{nearlyOne, func(i Instant) time.Duration { return i.Most }},
		} {
			l := live(t, p, 0, always(c.u), failing)
			if name == "axxos" || name == "gateway" {
				require.Len(t, l.attempts, p.GiveUp.Attempts)
			}
			for i, row := range Schedule(p) {
				if c.column(row) == Never {
					require.Len(t, l.attempts, i, name)
					break
				}
				require.Equal(t, c.column(row), l.attempts[i].Sub(accepted), "%s, attempt %d", name, row.Attempt)
			}
		}
	}
}

func TestSchedule_CountsTheFirstDelayAsAge(t *testing.T) {
	t.Parallel()
	fromAccepted := custom(t, "schedule: {kind: table, waits: [10m], then: repeat, first_delay: 25m}\ngive_up: {age: 1h}\n")
	require.Len(t, Schedule(fromAccepted), 4)
	require.Len(t, live(t, fromAccepted, 0, always(0), failing).attempts, 4)
	fromFirst := custom(t, "schedule: {kind: table, waits: [10m], then: repeat, first_delay: 25m}\ngive_up: {age: 1h, age_from: first_attempt}\n")
	require.Len(t, Schedule(fromFirst), 7)
	require.Len(t, live(t, fromFirst, 0, always(0), failing).attempts, 7)
}

func TestJitter_StaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wait := time.Duration(rapid.Int64Range(0, int64(longest)).Draw(t, "wait"))
		percent := rapid.Float64Range(0.001, 100).Draw(t, "percent")
		u := rapid.Float64Range(0, nearlyOne).Draw(t, "u")
		const rounding = 64 // nanoseconds: a float holds a year to about 4
		spread := func(kind JitterKind) time.Duration { return Jitter{Kind: kind, Percent: percent}.spread(wait, u) }
		within := func(got, least, most time.Duration) {
			require.GreaterOrEqual(t, got, max(0, least-rounding))
			require.LessOrEqual(t, got, most+rounding)
		}
		part := time.Duration(float64(wait) * percent / 100)
		require.Equal(t, wait, spread(NoJitter))
		within(spread(EqualJitter), wait/2, wait)
		within(spread(FullJitter), 0, wait)
		within(spread(PercentJitter), wait-part, wait+part)
		added := spread(AdditiveJitter) - wait
		require.GreaterOrEqual(t, added, time.Duration(0), "never minus")
		require.LessOrEqual(t, added, part+rounding)
		require.Zero(t, added%time.Second, "whole seconds")
	})
}

func TestBackoff_NeverShrinksOrOverflows(t *testing.T) {
	t.Parallel()
	b := Backoff{Kind: Exponential, Base: time.Nanosecond, Factor: 100, Cap: longest}
	before := time.Duration(0)
	for n := 1; n <= mostInstants; n++ {
		require.GreaterOrEqual(t, b.Wait(n), before)
		require.LessOrEqual(t, b.Wait(n), longest)
		before = b.Wait(n)
	}
}

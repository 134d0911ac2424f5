package policy

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// terms are what a contract says about time, in numbers of its own: nothing here
// is taken from a policy.
type terms struct {
	table  []time.Duration // the pauses; the last one repeats
	least  func(time.Duration) time.Duration
	most   func(time.Duration) time.Duration
	never  time.Duration // no pause is shorter
	obeyed func(status int) bool
	cap    time.Duration // of Retry-After

	attempts     [2]int // fewest and most, if nobody asks for more time
	window       time.Duration
	fromFirst    bool // the window begins with the first attempt, not with acceptance
	fromSchedule bool // pauses count from when the last attempt was due
}

func fifth(sign time.Duration) func(time.Duration) time.Duration {
	return func(wait time.Duration) time.Duration { return wait + sign*wait/5 }
}

func half(wait time.Duration) time.Duration   { return wait / 2 }
func all(wait time.Duration) time.Duration    { return wait }
func nothing(time.Duration) time.Duration     { return 0 }
func aTenth(wait time.Duration) time.Duration { return wait + (wait / 10).Truncate(time.Second) }
func doubling(n int, most time.Duration) []time.Duration {
	var table []time.Duration
	for i := range n {
		table = append(table, min(30*time.Second<<i, most))
	}
	return table
}

func dracmaTable() []time.Duration {
	var table []time.Duration
	for n := 1; n < 20; n++ {
		table = append(table, dracmaWait(n))
	}
	return table
}

var termsOf = map[string]terms{
	"standard": { // S02, S03
		table: []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
			14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		},
		least: fifth(-1), most: fifth(1), never: time.Second, obeyed: everyStatus, cap: 24 * time.Hour, attempts: [2]int{10, 10},
	},
	"fair-queue": { // F07, F08
		table: doubling(19, 6*time.Hour), least: half, most: all, never: time.Second,
		obeyed: everyStatus, cap: 6 * time.Hour, attempts: [2]int{20, 20}, window: 72 * time.Hour,
	},
	"axxos": { // A03
		table: []time.Duration{
			30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour,
		},
		least: fifth(-1), most: fifth(1), never: time.Second, obeyed: oneOf(429, 503), cap: 24 * time.Hour, attempts: [2]int{9, 9},
	},
	"gateway": { // G05, G06
		table: doubling(7, time.Hour), least: nothing, most: all, obeyed: oneOf(429), cap: 24 * time.Hour, attempts: [2]int{8, 8},
	},
	"routa": { // R01
		table: []time.Duration{
			time.Minute, 4 * time.Minute, 15 * time.Minute, 40 * time.Minute, 2 * time.Hour, 6 * time.Hour, 11 * time.Hour,
		},
		least: fifth(-1), most: fifth(1), never: time.Second, obeyed: oneOf(429, 503), cap: time.Hour, attempts: [2]int{8, 8},
	},
	"dracma": { // D04, D05
		table: dracmaTable(), least: all, most: aTenth, obeyed: noStatus, attempts: [2]int{15, 16},
		window: 72 * time.Hour, fromFirst: true, fromSchedule: true,
	},
}

// walk is one delivery that fails until it is dead, by statuses that every
// contract retries; each attempt may begin late and take long.
type walk struct {
	terms  terms
	policy *Policy

	progress Progress
	begun    time.Time // the attempt just made
	now      time.Time // when it ended
	outcome  delivery.Outcome
	asked    time.Duration // by its Retry-After
}

func (w *walk) attempt(t *rapid.T, asks, late bool) {
	if late {
		w.begun = w.begun.Add(time.Duration(rapid.IntRange(0, 3*3600).Draw(t, "late")) * time.Second)
	}
	w.now = w.begun.Add(time.Duration(rapid.Int64Range(0, int64(w.policy.Deadline)).Draw(t, "took")))
	w.outcome, w.asked = delivery.Outcome{StartedAt: w.begun}, 0
	if rapid.IntRange(0, 4).Draw(t, "error") == 0 {
		w.outcome.Error = rapid.SampledFrom(everyError()).Draw(t, "code")
		return
	}
	w.outcome.Status = rapid.SampledFrom([]int{408, 429, 500, 502, 503, 504, 599}).Draw(t, "status")
	if !asks {
		return
	}
	w.asked = time.Duration(rapid.IntRange(0, 30*3600).Draw(t, "retry after")) * time.Second
	w.outcome.RetryAfter = strconv.Itoa(int(w.asked / time.Second))
	if rapid.Bool().Draw(t, "as a date") {
		date := w.now.Add(w.asked).UTC().Truncate(time.Second)
		w.asked = max(date.Sub(w.now), 0)
		w.outcome.RetryAfter = date.Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
}

// due is what a contract that counts from the schedule counts from: a cycle that
// began late has its schedule from when it began.
func (w *walk) due() time.Time {
	if w.progress.CycleAttempt == 1 {
		return later(w.progress.ScheduledAt, w.begun)
	}
	return w.progress.ScheduledAt
}

// bounds are the earliest and latest instants at which the contract allows the
// next attempt.
func (w *walk) bounds() (earliest, latest time.Time) {
	table := w.terms.table
	wait := table[min(w.progress.CycleAttempt, len(table))-1]
	from := w.now
	if w.terms.fromSchedule {
		from = w.due()
	}
	floor := w.terms.never
	if w.outcome.Error == "" && w.terms.obeyed(w.outcome.Status) {
		floor = max(floor, min(w.asked, w.terms.cap))
	}
	const rounding = 1 // nanosecond: jitter is a fraction
	earliest, latest = from.Add(w.terms.least(wait)-rounding), from.Add(w.terms.most(wait)+rounding)
	if floored := w.now.Add(floor); floor > 0 {
		return later(earliest, floored), later(latest, floored)
	}
	return earliest, latest
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// end is the last instant at which an attempt may be due, or zero.
func (w *walk) end() time.Time {
	switch {
	case w.terms.window == 0:
		return time.Time{}
	case !w.terms.fromFirst:
		return accepted.Add(w.terms.window)
	case w.progress.FirstAttemptAt.IsZero():
		return w.begun.Add(w.terms.window)
	default:
		return w.progress.FirstAttemptAt.Add(w.terms.window)
	}
}

// step checks one decision, and says whether another attempt follows.
func (w *walk) step(t *rapid.T, d Decision) bool {
	earliest, latest := w.bounds()
	end := w.end()
	n := w.progress.CycleAttempt
	if d.State == delivery.Dead {
		switch d.Reason {
		case delivery.AttemptsExhausted:
			require.Equal(t, w.terms.attempts[1], n)
		case delivery.TooOld:
			require.False(t, end.IsZero(), "there is no window")
			require.True(t, latest.After(end), "there was time for another: %v to %v", earliest, latest)
		default:
			t.Fatalf("dead by %s", d.Reason)
		}
		return false
	}
	require.Equal(t, delivery.Pending, d.State)
	next := d.NextAttemptAt
	require.False(t, next.Before(earliest), "attempt %d is due %v, %v too early", n+1, next, earliest.Sub(next))
	require.False(t, next.After(latest), "attempt %d is due %v, %v too late", n+1, next, next.Sub(latest))
	require.True(t, end.IsZero() || !next.After(end), "attempt %d is due %v past the window", n+1, next.Sub(end))
	if w.terms.fromSchedule {
		require.Zero(t, next.Sub(w.due())%time.Second, "jitter is whole seconds")
	}
	require.Less(t, n, w.terms.attempts[1])
	return true
}

func (w *walk) walk(t *rapid.T, asks, late bool) (attempts int) {
	u := rapid.Float64Range(0, nearlyOne)
	w.begun = accepted
	w.progress = Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}
	for {
		w.attempt(t, asks, late)
		d := Decide(w.policy, w.progress, w.outcome, w.now, func() float64 { return u.Draw(t, "u") })
		if !w.step(t, d) {
			return w.progress.CycleAttempt
		}
		if w.progress.CycleAttempt == 1 {
			w.progress.FirstAttemptAt = w.begun
		}
		w.progress.CycleAttempt++
		w.progress.ScheduledAt = d.NextAttemptAt
		w.begun = later(d.NextAttemptAt, w.now) // one that is overdue goes out at once
	}
}

// Whatever an endpoint answers and however late the attempts are made, no pause
// leaves its bounds, none is shorter than what the answer asked for and the
// contract grants, and nothing is due past the window.
func TestEveryPreset_KeepsItsBounds(t *testing.T) {
	t.Parallel()
	for _, name := range presetNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				w := &walk{terms: termsOf[name], policy: preset(t, name)}
				asks, late := rapid.Bool().Draw(t, "asks"), rapid.Bool().Draw(t, "lateness")
				attempts := w.walk(t, asks, late)
				if !asks && !late {
					require.GreaterOrEqual(t, attempts, w.terms.attempts[0])
				}
			})
		})
	}
}

// The failures of one delivery leave no gap in which circuit.Tick would take an
// endpoint's trouble for silence: while its attempts last, one lies in the second
// half of the time before each warning.
func TestEveryPreset_S08_FailuresReachTheWarnings(t *testing.T) {
	t.Parallel()
	warnings := 0
	for _, name := range presetNames {
		p := preset(t, name)
		for _, u := range []float64{0, 0.5, nearlyOne} {
			l := live(t, p, p.Deadline, always(u), failing)
			for _, warning := range p.Circuit.Disable.Warn {
				var recent, lasts bool
				for _, begun := range l.attempts {
					after := begun.Sub(l.attempts[0])
					recent = recent || after >= warning/2 && after < warning
					lasts = lasts || after >= warning
				}
				require.True(t, recent || !lasts, "%s, u = %v: a warning after %v", name, u, warning)
				warnings++
			}
		}
	}
	require.Equal(t, 15, warnings)
}

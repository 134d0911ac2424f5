package contractpage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Every number on a page is the engine's, whatever the language.
func TestPage_F16_NumbersAreThoseOfTheEngine(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, p *policy.Policy, l Language) {
		checkNumbers(t, p, l)
	})
}

func TestPage_F16_NumbersAreThoseOfTheEngine_ForAnyPolicy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkNumbers(t, randomPolicy(t), rapid.SampledFrom(Languages).Draw(t, "language"))
	})
}

func checkNumbers(t fataler, p *policy.Policy, l Language) {
	t.Helper()
	const retention = 45 * 24 * time.Hour
	r := readPage(t, l, rendered(t, p, Options{Language: l, Retention: retention}))
	checkSummary(t, r, p, retention)
	checkAnswers(t, r, p)
	checkFailures(t, r, p)
	checkTimetable(t, r, p)
	checkEnd(t, r, p)
	checkPauses(t, r, p)
	checkDisabling(t, r, p)
}

func checkSummary(t fataler, r read, p *policy.Policy, retention time.Duration) {
	t.Helper()
	require.Equal(t, p.Deadline, duration(t, r.fact("glance.deadline")))
	require.Equal(t, retention, duration(t, r.fact("glance.kept")))
	inFlight := p.MaxInFlight
	if p.FIFO {
		inFlight = 1
	}
	require.Equal(t, []float64{float64(inFlight)}, numbers(t, r.fact("glance.in_flight")))
	if p.RateLimit > 0 {
		require.Equal(t, []float64{p.RateLimit}, numbers(t, r.fact("glance.rate")))
	} else {
		require.Empty(t, r.fact("glance.rate"))
	}
	if p.GiveUp.Age > 0 {
		require.Equal(t, p.GiveUp.Age, duration(t, r.fact("glance.age")))
	} else {
		require.Empty(t, r.fact("glance.age"))
	}
	short, long := live(p, nearlyOne), live(p, 0)
	count := []float64{float64(len(short)), float64(len(long))}
	require.Equal(t, slices.Compact(count), numbers(t, r.fact("glance.attempts")))
	if last := durations(t, r.fact("glance.last")); len(last) > 0 {
		require.Len(t, short, len(long), "the last attempt's time is only known where their number is")
		ends := slices.Compact([]time.Duration{millis(long[len(long)-1]), millis(short[len(short)-1])})
		require.Equal(t, ends, last)
	}
	require.Contains(t, r.below("##", "answers.title"), strings.ReplaceAll(size(p.Response.ReadLimit).phrase.String(), "0 B", ""))
}

// nearlyOne is more than every chance.
const nearlyOne = 1 - 1.0/(1<<53)

func millis(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// live lets every attempt fail in no time and has Decide say when the next one
// is due. chance is that of all of them.
func live(p *policy.Policy, chance float64) []time.Duration {
	accepted := start
	first := p.FirstAttemptAt(accepted)
	at := []time.Duration{0}
	for due := first; ; {
		progress := policy.Progress{CycleAttempt: len(at), CycleStartedAt: accepted, FirstAttemptAt: first, ScheduledAt: due}
		outcome := delivery.Outcome{Error: delivery.Connect, StartedAt: due}
		d := policy.Decide(withoutRules(p), progress, outcome, due, func() float64 { return chance })
		if d.State != delivery.Pending {
			return at
		}
		due = d.NextAttemptAt
		at = append(at, due.Sub(first))
	}
}

func withoutRules(p *policy.Policy) *policy.Policy {
	plain := *p
	plain.Failures = nil
	return &plain
}

func checkTimetable(t fataler, r read, p *policy.Policy) {
	t.Helper()
	exact := *p
	exact.Schedule.Jitter = policy.Jitter{Kind: policy.NoJitter}
	columns := [][]time.Duration{live(&exact, 0)}
	if p.Schedule.Jitter.Kind != policy.NoJitter {
		columns = append(columns, live(p, 0), live(p, nearlyOne))
	}
	attempts := 0
	for _, column := range columns {
		attempts = max(attempts, len(column))
	}
	if attempts == 1 {
		require.NotContains(t, r.page, r.heading("schedule.caption"))
		return
	}
	rows := r.table("schedule.caption")
	if attempts > mostRows {
		require.Equal(t, "…", rows[firstRows][0])
		rows = slices.Delete(rows, firstRows, firstRows+1)
		require.Len(t, rows, firstRows+lastRows)
	} else {
		require.Len(t, rows, attempts)
	}
	for _, row := range rows {
		attempt := int(numbers(t, row[0])[0])
		if attempt > 1 {
			require.Equal(t, millis(p.Schedule.Wait(attempt-1)), duration(t, row[1]), "the wait before %d", attempt)
		}
		for i, column := range columns {
			if attempt > len(column) {
				require.Equal(t, none, row[2+i])
				continue
			}
			require.Equal(t, millis(column[attempt-1]), duration(t, row[2+i]), "attempt %d, column %d", attempt, i)
		}
	}
	last := rows[len(rows)-1]
	require.Equal(t, []float64{float64(attempts)}, numbers(t, last[0]))
}

func checkAnswers(t fataler, r read, p *policy.Policy) {
	t.Helper()
	rows := r.table("answers.caption")
	rowOf := rowsByStatus(t, rows)
	pauses := make([]time.Duration, len(rows)) // 0: there is none
	for i, row := range rows {
		if row[2] != none && row[2] != r.heading("pause.ignored") {
			pauses[i] = duration(t, row[2])
		}
	}
	for status := 200; status < 600; status++ {
		row := rows[rowOf[status]]
		outcome := delivery.Outcome{Status: status}
		d := judge(p, outcome)
		if want := r.consequence(p, d); want != row[1] {
			require.Equal(t, want, row[1], status)
		}
		if (d.State == delivery.Pending) != (row[2] != none) {
			require.Fail(t, "a pause is asked for where something is tried again", "%d: %s", status, row[2])
		}
		if d.State == delivery.Pending {
			checkPause(t, p, outcome, pauses[rowOf[status]])
		}
	}
}

var sentences = map[delivery.State]string{
	delivery.Delivered: "then.delivered", delivery.Pending: "then.retry", delivery.Dead: "then.dead",
}

// consequence is how the page has to put a decision.
func (r read) consequence(p *policy.Policy, d policy.Decision) string {
	key := sentences[d.State]
	if d.Cause == policy.ByAttempts {
		require.Equal(r.t, 1, p.MostAttempts())
		key = "then.only"
	}
	said, err := r.locale.texts()[key].fill(r.locale.one, args{"reason": token(string(d.Reason))})
	require.NoError(r.t, err)
	w := &markdown{page: &page{locale: locales[English]}}
	lines := []string{w.text(said)}
	if d.DisableEndpoint {
		lines = append(lines, r.heading("then.disabled"))
	}
	if d.SlowDown {
		lines = append(lines, r.heading("then.slower"))
	}
	return strings.Join(lines, "<br>")
}

// checkPause compares the longest pause that the page grants with what Decide
// makes of a Retry-After that is as long, and of one that is longer.
func checkPause(t fataler, p *policy.Policy, outcome delivery.Outcome, longest time.Duration) {
	t.Helper()
	patient := *p
	patient.GiveUp = policy.GiveUp{}
	wait := func(retryAfter time.Duration) time.Duration {
		outcome.RetryAfter = fmt.Sprint(int(retryAfter.Seconds()))
		return judge(&patient, outcome).NextAttemptAt.Sub(start)
	}
	want := max(wait(0), longest)
	if wait(longest) != want || wait(longest+time.Hour) != want {
		require.Fail(t, "another pause is granted", "%d: %s", outcome.Status, longest)
	}
}

func checkFailures(t fataler, r read, p *policy.Policy) {
	t.Helper()
	rows := r.table("failures.caption")
	for _, failure := range delivery.ErrorCodes {
		if failure == delivery.HTTPStatus || failure == delivery.InterruptedSend || failure.OfMail() ||
			failure == delivery.ResponseTruncated && p.Response.ReadLimit == 0 {
			continue
		}
		outcome := delivery.Outcome{Error: failure}
		if failure == delivery.ResponseTruncated {
			outcome.Status = successStatus(p)
		}
		i := slices.IndexFunc(rows, func(row []string) bool { return strings.Contains(row[0], "`"+string(failure)+"`") })
		require.GreaterOrEqual(t, i, 0, failure)
		require.Equal(t, r.consequence(p, judge(p, outcome)), rows[i][1], failure)
	}
}

func checkEnd(t fataler, r read, p *policy.Policy) {
	t.Helper()
	if p.MostAttempts() == 1 {
		return
	}
	end := r.below("###", "schedule.end")
	if p.MostAttempts() > 0 {
		require.Contains(t, numbers(t, end), float64(p.MostAttempts()))
	}
	if p.GiveUp.Age > 0 {
		require.Equal(t, []time.Duration{p.GiveUp.Age}, durations(t, end))
	}
}

func checkPauses(t fataler, r read, p *policy.Policy) {
	t.Helper()
	text := r.below("###", "trouble.pauses")
	s := p.Circuit
	if s.Kind == circuit.None {
		require.Empty(t, numbers(t, text))
		return
	}
	require.Equal(t, float64(s.Failures), numbers(t, text)[0])
	var want []time.Duration
	for i := 0; i < shownPauses && (len(want) == 0 || want[len(want)-1] < s.MaxPause); i++ {
		pause := s.Pause * time.Duration(i+1) // Escalating
		if s.Kind == circuit.HalfOpenProbe {
			pause = s.Pause << i
		}
		want = append(want, min(pause, s.MaxPause))
	}
	if want[len(want)-1] < s.MaxPause {
		want = append(want, s.MaxPause)
	}
	if p.GiveUp.Age > 0 {
		want = append(want, p.GiveUp.Age)
	}
	require.Equal(t, want, durations(t, text))
}

func checkDisabling(t fataler, r read, p *policy.Policy) {
	t.Helper()
	d := p.Circuit.Disable
	text := r.below("###", "trouble.disable")
	var want []float64
	if d.Failures > 0 {
		want = append(want, float64(d.Failures))
	}
	if d.MinAttempts > 1 {
		want = append(want, float64(d.MinAttempts))
	}
	require.Subset(t, numbers(t, text), want)
	var spans []time.Duration
	if d.After > 0 {
		spans = append(append(spans, d.After), d.Warn...)
	}
	require.Equal(t, spans, durations(t, text))
	if s := p.Circuit.SlowDown; s.RestoreAfter > 0 {
		require.Contains(t, numbers(t, r.below("###", "trouble.slow")), float64(s.RestoreAfter))
	}
}

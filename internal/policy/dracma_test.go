package policy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func TestDracma_D01_D02_NoAnswerIsDefinitive(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	require.Equal(t, 10*time.Second, p.Deadline)
	for _, status := range append(statuses(100, 199), statuses(300, 999)...) {
		d := first(p, answer(status), always(0))
		require.Equal(t, delivery.Pending, d.State, status)
		require.False(t, d.DisableEndpoint, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
	for _, status := range statuses(200, 299) {
		require.Equal(t, delivery.Delivered, first(p, answer(status), always(0)).State, status)
	}
}

func TestDracma_D03_ABrokenBodyFails(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	require.Equal(t, Response{ReadLimit: 64 << 10, BrokenBodyFails: true}, p.Response)
	for _, code := range []delivery.ErrorCode{delivery.ResponseTruncated, delivery.Reset, delivery.Protocol, delivery.Timeout} {
		broken := answer(200)
		broken.Error = code
		d := first(p, broken, always(0))
		require.Equal(t, delivery.Pending, d.State, code)
		require.Equal(t, code, d.ErrorCode)
	}
}

func TestDracma_D04_Schedule(t *testing.T) {
	t.Parallel()
	var table []string
	for _, row := range Schedule(preset(t, "dracma")) {
		table = append(table, short(row.Without))
	}
	require.Equal(t, []string{
		"0s", "30s", "2m30s", "12m30s", "42m30s", "1h42m30s", "3h42m30s", "7h42m30s", "15h42m30s", "23h42m30s",
		"31h42m30s", "39h42m30s", "47h42m30s", "55h42m30s", "63h42m30s", "71h42m30s",
	}, table)
}

func TestDracma_D04_LatenessDoesNotAccumulate(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	slow := live(t, p, 10*time.Second, always(0), failing)
	for i, row := range Schedule(p) {
		require.Equal(t, row.Without, slow.attempts[i].Sub(accepted), "attempt %d", i+1)
	}
	// An hour late: the next is due where it always was, which has passed.
	progress := Progress{CycleAttempt: 2, CycleStartedAt: accepted, FirstAttemptAt: accepted, ScheduledAt: accepted.Add(30 * time.Second)}
	d := Decide(p, progress, answer(500), accepted.Add(time.Hour), always(0))
	require.Equal(t, accepted.Add(150*time.Second), d.NextAttemptAt)
}

func TestDracma_D04_JitterIsWholeSecondsAndNeverMinus(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	seen := map[time.Duration]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		extra := first(p, answer(500), random.Float64).NextAttemptAt.Sub(accepted) - 30*time.Second
		seen[extra] = true
	}
	require.Equal(t, map[time.Duration]bool{0: true, time.Second: true, 2 * time.Second: true, 3 * time.Second: true}, seen)
}

func TestDracma_D05_FifteenOrSixteenAttempts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := preset(t, "dracma")
		scale := rapid.Float64Range(0, 1).Draw(t, "scale") // all of it, and a lot near the decisive sum
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var jitter time.Duration
		l := live(t, p, time.Duration(rapid.IntRange(0, 10_000).Draw(t, "took"))*time.Millisecond,
			func() float64 { return random.Float64() * scale }, failing)

		for i, begun := range l.attempts[1:] {
			wait := begun.Sub(l.attempts[i])
			nominal := p.Schedule.Wait(i + 1)
			extra := wait - nominal
			require.Zero(t, extra%time.Second)
			require.GreaterOrEqual(t, extra, time.Duration(0))
			require.LessOrEqual(t, extra, nominal/10)
			if i < 14 {
				jitter += extra
			}
		}
		last := l.attempts[len(l.attempts)-1].Sub(accepted)
		require.GreaterOrEqual(t, last, 63*time.Hour+42*time.Minute+30*time.Second)
		require.LessOrEqual(t, last, 72*time.Hour)
		require.Equal(t, delivery.Dead, l.last.State)
		require.Equal(t, delivery.TooOld, l.last.Reason)
		switch len(l.attempts) {
		case 15:
			require.GreaterOrEqual(t, last+8*time.Hour+48*time.Minute, 72*time.Hour, "the last wait decided")
		case 16:
			require.LessOrEqual(t, last, 72*time.Hour)
			require.LessOrEqual(t, jitter, 17*time.Minute+30*time.Second)
		default:
			t.Fatalf("%d attempts", len(l.attempts))
		}
	})
}

func TestDracma_D05_SixteenOnlyIfTheJitterLeavesRoom(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	at15 := accepted.Add(63*time.Hour + 42*time.Minute + 30*time.Second)
	progress := Progress{CycleAttempt: 15, CycleStartedAt: accepted, FirstAttemptAt: accepted}
	for extra, want := range map[time.Duration]delivery.State{
		0:                                delivery.Pending,
		17*time.Minute + 29*time.Second:  delivery.Pending,
		17*time.Minute + 30*time.Second:  delivery.Pending, // exactly 72 h is not later than 72 h
		17*time.Minute + 31*time.Second:  delivery.Dead,
		5*time.Hour + 59*time.Minute + 1: delivery.Dead,
	} {
		progress.ScheduledAt = at15.Add(extra)
		d := Decide(p, progress, answer(500), progress.ScheduledAt.Add(time.Second), always(0))
		require.Equal(t, want, d.State, extra)
	}
}

func TestDracma_D05_TheWindowBeginsWithTheFirstAttempt(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	began := accepted.Add(100 * time.Hour) // it waited that long for its turn
	progress := Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: began}
	outcome := answer(500)
	outcome.StartedAt = began
	require.Equal(t, delivery.Pending, Decide(p, progress, outcome, began, always(0)).State)

	progress = Progress{CycleAttempt: 15, CycleStartedAt: accepted, FirstAttemptAt: began, ScheduledAt: began.Add(64 * time.Hour)}
	require.Equal(t, delivery.Pending, Decide(p, progress, answer(500), began.Add(64*time.Hour), always(0)).State)
	progress.ScheduledAt = began.Add(64*time.Hour + 1)
	require.Equal(t, delivery.Dead, Decide(p, progress, answer(500), began.Add(64*time.Hour+1), always(0)).State)
}

func TestDracma_RetryAfterDoesNotShiftItsTimes(t *testing.T) {
	t.Parallel()
	d := first(preset(t, "dracma"), askedToWait(429, "3600"), always(0))
	require.Equal(t, 30*time.Second, d.NextAttemptAt.Sub(accepted))
}

func TestDracma_D06_NoOrderNoRateLimitNoCircuit(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	require.Equal(t, circuit.Settings{Kind: circuit.None}, p.Circuit)
	require.Zero(t, p.RateLimit)
	require.False(t, p.FIFO)
}

func TestDracma_D07_D10_D11_D12_Records(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	for _, reason := range []delivery.Reason{delivery.NoEndpoint, delivery.TypeNotSubscribed, delivery.EndpointDisabled, delivery.Filtered} {
		require.True(t, p.RecordsSkip(reason), reason)
	}
	require.Equal(t, []delivery.State{delivery.Dead}, p.Redeliver, "a resolved one is not sent (D11)")
	require.Equal(t, "Dracma-Event-Id", p.Headers.ID)
}

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

var dracmaPromises = []promise{
	{"D01 D02", keepsD01D02}, {"D03", keepsD03}, {"D04", keepsD04Schedule}, {"D04", keepsD04Anchor}, {"D05", keepsD05End},
	{"D05", keepsD05Beginning}, {"D06", keepsD06}, {"D07 D10 D11 D12", keepsD07D10D11D12}, {silent, keepsDracmaSilent},
}

func TestDracma_D01_D02_NoAnswerIsDefinitive(t *testing.T) {
	t.Parallel()
	keepsD01D02(t, preset(t, "dracma"))
}

func keepsD01D02(t fataler, p *Policy) {
	require.Equal(t, 10*time.Second, p.Deadline)
	only2xxSucceeds(t, p)
	for _, status := range append(statuses(100, 199), statuses(300, 999)...) {
		d := first(p, answer(status), always(0))
		require.Equal(t, delivery.Pending, d.State, status)
		require.False(t, d.DisableEndpoint, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
}

func TestDracma_D03_ABrokenBodyFails(t *testing.T) {
	t.Parallel()
	keepsD03(t, preset(t, "dracma"))
}

func keepsD03(t fataler, p *Policy) {
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
	keepsD04Schedule(t, preset(t, "dracma"))
}

func keepsD04Schedule(t fataler, p *Policy) { sameTimetable(t, p, "dracma") }

func TestDracma_D04_LatenessDoesNotAccumulate(t *testing.T) {
	t.Parallel()
	keepsD04Anchor(t, preset(t, "dracma"))
}

func keepsD04Anchor(t fataler, p *Policy) {
	slow := live(t, p, 10*time.Second, always(0), failing)
	require.Len(t, slow.attempts, 16)
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

// The sixteenth attempt is due 71:42:30 and all fifteen jitters after the first.
// D05 forbids what is later than 72 h, and 72 h is not: the limit is that the
// jitters sum to 17 min 30 s or less. They are whole seconds, so this very sum
// does occur.
func TestDracma_D05_FifteenOrSixteenAttempts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := preset(t, "dracma")
		scale := rapid.Float64Range(0, 0.25).Draw(t, "scale") // beyond, fifteen is all but certain
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		due := []time.Duration{0} // by the contract's own arithmetic
		l := live(t, p, time.Duration(rapid.IntRange(0, 10_000).Draw(t, "took"))*time.Millisecond, func() float64 {
			u := random.Float64() * scale
			wait := dracmaWait(len(due))
			jitter := time.Duration(u*(wait/10).Truncate(time.Second).Seconds()+u) * time.Second
			due = append(due, due[len(due)-1]+wait+jitter)
			return u
		}, failing)

		jitter := due[15] - (71*time.Hour + 42*time.Minute + 30*time.Second)
		require.GreaterOrEqual(t, jitter, time.Duration(0))
		want := 15
		if jitter <= 17*time.Minute+30*time.Second {
			want = 16
		}
		require.Len(t, l.attempts, want, "jitters sum to %v", jitter)
		for i, begun := range l.attempts {
			require.Equal(t, due[i], begun.Sub(accepted), "attempt %d", i+1)
		}
		last := due[want-1]
		require.GreaterOrEqual(t, last, 63*time.Hour+42*time.Minute+30*time.Second)
		require.LessOrEqual(t, last, 72*time.Hour)
		require.Equal(t, delivery.Dead, l.last.State)
		require.Equal(t, delivery.TooOld, l.last.Reason)
	})
}

// dracmaWait is D04's pause after failed attempt n.
func dracmaWait(n int) time.Duration {
	minutes := []int{0, 2, 10, 30, 60, 120, 240}
	switch {
	case n == 1:
		return 30 * time.Second
	case n <= len(minutes):
		return time.Duration(minutes[n-1]) * time.Minute
	default:
		return 8 * time.Hour
	}
}

func TestDracma_D05_SixteenOnlyIfTheJitterLeavesRoom(t *testing.T) {
	t.Parallel()
	keepsD05End(t, preset(t, "dracma"))
}

func keepsD05End(t fataler, p *Policy) {
	at15 := accepted.Add(63*time.Hour + 42*time.Minute + 30*time.Second)
	progress := Progress{CycleAttempt: 15, CycleStartedAt: accepted, FirstAttemptAt: accepted}
	for extra, want := range map[time.Duration]delivery.State{
		0:                               delivery.Pending,
		17*time.Minute + 29*time.Second: delivery.Pending,
		17*time.Minute + 30*time.Second: delivery.Pending, // exactly 72 h is not later than 72 h
		17*time.Minute + 30*time.Second + time.Nanosecond: delivery.Dead,
		17*time.Minute + 31*time.Second:                   delivery.Dead,
		5*time.Hour + 59*time.Minute + 1:                  delivery.Dead,
	} {
		progress.ScheduledAt = at15.Add(extra)
		d := Decide(p, progress, answer(500), progress.ScheduledAt.Add(time.Second), always(0))
		require.Equal(t, want, d.State, extra)
	}
}

func TestDracma_D05_TheWindowBeginsWithTheFirstAttempt(t *testing.T) {
	t.Parallel()
	keepsD05Beginning(t, preset(t, "dracma"))
}

func keepsD05Beginning(t fataler, p *Policy) {
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
	keepsD06(t, preset(t, "dracma"))
}

func keepsD06(t fataler, p *Policy) {
	require.Equal(t, circuit.Settings{Kind: circuit.None}, p.Circuit)
	require.Zero(t, p.RateLimit)
	require.False(t, p.FIFO)
}

func TestDracma_D07_D10_D11_D12_Records(t *testing.T) {
	t.Parallel()
	keepsD07D10D11D12(t, preset(t, "dracma"))
}

func keepsD07D10D11D12(t fataler, p *Policy) {
	recordsEverySkip(t, p)
	require.Equal(t, []delivery.State{delivery.Dead}, p.Redeliver, "a resolved one is not sent (D11)")
	require.Equal(t, "Dracma-Event-Id", p.Headers.ID)
}

func TestDracma_WhereTheContractIsSilent(t *testing.T) {
	t.Parallel()
	keepsDracmaSilent(t, preset(t, "dracma"))
}

func keepsDracmaSilent(t fataler, p *Policy) {
	keepsQuiet(t, p)
	require.Equal(t, 20, p.MaxInFlight)
	require.Zero(t, p.GiveUp.Attempts)
	obeys(t, p, noStatus, 0, 30*time.Second)
	require.Equal(t, Headers{
		ID: "Dracma-Event-Id", Timestamp: "Dracma-Timestamp", Signature: "Dracma-Signature", Attempt: "Dracma-Attempt",
		IdempotencyKeyFrom: KeyFromEventID,
	}, p.Headers)
	require.Equal(t, StandardWebhooks, p.Signature.Scheme)
	require.Equal(t, standardEnvelope, p.Envelope.Members)
	require.False(t, p.ReplayOnEnable)
}

// A first attempt that was late, because its endpoint was paused, moves all that
// follows: its window begins with it, and so do its waits.
func TestDracma_D04_D05_ALateBeginningMovesTheWholeCycle(t *testing.T) {
	t.Parallel()
	p, _ := Preset("dracma")
	for _, late := range []time.Duration{0, time.Second, 8 * time.Hour, 30 * time.Hour, 30 * 24 * time.Hour} {
		accepted := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		begun := accepted.Add(late)
		scheduled, now, attempts := accepted, begun, 0
		var waits []time.Duration
		for {
			attempts++
			progress := Progress{CycleAttempt: attempts, CycleStartedAt: accepted, ScheduledAt: scheduled}
			if attempts > 1 {
				progress.FirstAttemptAt = begun
			}
			decision := Decide(p, progress, delivery.Outcome{Status: 500, StartedAt: now}, now, func() float64 { return 0 })
			if decision.State != delivery.Pending {
				require.Equal(t, delivery.TooOld, decision.Reason)
				break
			}
			waits = append(waits, decision.NextAttemptAt.Sub(now))
			scheduled, now = decision.NextAttemptAt, decision.NextAttemptAt
		}
		require.Equal(t, 16, attempts, late)
		require.Equal(t, []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour}, waits[:5], late)
		require.Equal(t, 71*time.Hour+42*time.Minute+30*time.Second, now.Sub(begun), late)
	}
}

package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var fairQueuePromises = []promise{
	{"F01", keepsF01}, {"F02", keepsF02}, {"F03", keepsF03}, {"F07", keepsF07Jitter}, {"F07", keepsF07RetryAfter},
	{"F08", keepsF08Attempts}, {"F08", keepsF08Age}, {"F09", keepsF09Final}, {"F09", keepsF09Retried}, {"F10", keepsF10},
	{"F11", keepsF11}, {"F12", keepsF12}, {"F13", keepsF13}, {"F14", keepsF14}, {silent, keepsFairQueueSilent},
}

func TestFairQueue_F01_SuccessIs2xxWithinFiveSecondsWithoutTheBody(t *testing.T) {
	t.Parallel()
	keepsF01(t, preset(t, "fair-queue"))
}

func keepsF01(t fataler, p *Policy) {
	require.Equal(t, 5*time.Second, p.Deadline)
	require.Zero(t, p.Response.ReadLimit)
	only2xxSucceeds(t, p)
	for _, code := range []delivery.ErrorCode{delivery.Reset, delivery.ResponseTruncated} {
		broken := answer(200)
		broken.Error = code
		require.True(t, p.Succeeds(broken), "the status was there: nobody reads on")
	}
}

func TestFairQueue_F02_RedirectsFail(t *testing.T) {
	t.Parallel()
	keepsF02(t, preset(t, "fair-queue"))
}

func keepsF02(t fataler, p *Policy) {
	for _, status := range statuses(300, 399) {
		d := first(p, answer(status), always(0.5))
		require.Equal(t, delivery.Pending, d.State, status)
		require.Equal(t, delivery.HTTPStatus, d.ErrorCode)
		require.True(t, d.Failure)
	}
}

func TestFairQueue_F03_FourInFlight(t *testing.T) {
	t.Parallel()
	keepsF03(t, preset(t, "fair-queue"))
}

func keepsF03(t fataler, p *Policy) {
	require.Equal(t, 4, p.MaxInFlight)
}

func TestFairQueue_F07_EqualJitter(t *testing.T) {
	t.Parallel()
	keepsF07Jitter(t, preset(t, "fair-queue"))
}

func keepsF07Jitter(t fataler, p *Policy) {
	sameTimetable(t, p, "fair-queue")
	least := live(t, p, time.Second, always(0), failing)
	most := live(t, p, time.Second, always(nearlyOne), failing)
	require.Len(t, least.waits, 19)
	require.Len(t, most.waits, 19)
	for n := 1; n < 20; n++ {
		wait := min(30*time.Second<<(n-1), 6*time.Hour)
		require.Equal(t, wait/2, least.waits[n-1], "n = %d", n)
		require.Equal(t, wait, most.waits[n-1], "n = %d", n)
	}
	require.GreaterOrEqual(t, least.waits[0], 15*time.Second, "a retry is never immediate, the first one included")
}

func TestFairQueue_F07_RetryAfterIsAFloorCappedAtSixHours(t *testing.T) {
	t.Parallel()
	keepsF07RetryAfter(t, preset(t, "fair-queue"))
}

func keepsF07RetryAfter(t fataler, p *Policy) {
	obeys(t, p, everyStatus, 6*time.Hour, 15*time.Second)
}

func TestFairQueue_F08_TwentyAttempts(t *testing.T) {
	t.Parallel()
	keepsF08Attempts(t, preset(t, "fair-queue"))
}

func keepsF08Attempts(t fataler, p *Policy) {
	for _, u := range []float64{0, 0.5, nearlyOne} {
		l := live(t, p, 5*time.Second, always(u), failing)
		require.Len(t, l.attempts, 20)
		require.Equal(t, delivery.AttemptsExhausted, l.last.Reason)
	}
}

func TestFairQueue_F08_SeventyTwoHours(t *testing.T) {
	t.Parallel()
	keepsF08Age(t, preset(t, "fair-queue"))
}

func keepsF08Age(t fataler, p *Policy) {
	decide := func(age time.Duration) Decision {
		progress := Progress{CycleAttempt: 2, CycleStartedAt: accepted, FirstAttemptAt: accepted.Add(age), ScheduledAt: accepted}
		return Decide(p, progress, answer(500), accepted.Add(age), always(0)) // waits 30 s
	}
	d := decide(72*time.Hour - 30*time.Second)
	require.Equal(t, delivery.Pending, d.State, "exactly at the end is not past it")
	d = decide(72*time.Hour - 30*time.Second + time.Nanosecond)
	require.Equal(t, delivery.Dead, d.State)
	require.Equal(t, delivery.TooOld, d.Reason)
	require.True(t, d.Failure, "it counts for the endpoint all the same")

	d = first(p, askedToWait(503, "21600"), always(0))
	require.Equal(t, delivery.Pending, d.State)
}

func TestFairQueue_F08_RetryAfterCannotReachPastTheWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := preset(t, "fair-queue")
		u := rapid.Float64Range(0, nearlyOne).Draw(t, "u")
		l := live(t, p, 0, always(u), func(int) delivery.Outcome { return askedToWait(503, "20000") })
		require.Equal(t, delivery.TooOld, l.last.Reason)
		require.LessOrEqual(t, l.attempts[len(l.attempts)-1].Sub(accepted), 72*time.Hour)
	})
}

func TestFairQueue_F09_413And410(t *testing.T) {
	t.Parallel()
	keepsF09Final(t, preset(t, "fair-queue"))
}

func keepsF09Final(t fataler, p *Policy) {
	large := first(p, answer(413), always(0))
	require.Equal(t, delivery.Dead, large.State)
	require.Equal(t, delivery.TooLarge, large.Reason)
	require.False(t, large.DisableEndpoint)
	gone := first(p, answer(410), always(0))
	require.Equal(t, delivery.Dead, gone.State)
	require.Equal(t, delivery.Gone, gone.Reason)
	require.True(t, gone.DisableEndpoint)
}

func TestFairQueue_F09_EveryOtherStatusIsRetried(t *testing.T) {
	t.Parallel()
	keepsF09Retried(t, preset(t, "fair-queue"))
}

func keepsF09Retried(t fataler, p *Policy) {
	for _, status := range append(statuses(100, 199), statuses(300, 999)...) {
		if status == 410 || status == 413 {
			continue
		}
		require.Equal(t, delivery.Pending, first(p, answer(status), always(0)).State, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
}

func TestFairQueue_F10_BodyAndHeaders(t *testing.T) {
	t.Parallel()
	keepsF10(t, preset(t, "fair-queue"))
}

func keepsF10(t fataler, p *Policy) {
	require.Equal(t, Headers{
		ID: "webhook-id", Timestamp: "webhook-timestamp", Signature: "webhook-signature",
		IdempotencyKeyFrom: KeyFromEventID,
	}, p.Headers)
	require.Equal(t, TimestampHex, p.Signature.Scheme)
	body := p.Envelope.Render(Fields{
		ID: "evt_1", Type: "pedido.pago", OccurredAt: accepted, AcceptedAt: accepted.Add(time.Hour),
	}, []byte("[1, 2]"))
	require.Equal(t, `{"id":"evt_1","tipo":"pedido.pago","criado_em":"2026-03-01T12:00:00.000Z","dados":[1, 2]}`, string(body))
}

func TestFairQueue_F11_Circuit(t *testing.T) {
	t.Parallel()
	keepsF11(t, preset(t, "fair-queue"))
}

func keepsF11(t fataler, p *Policy) {
	require.Equal(t, circuit.Settings{
		Kind: circuit.Escalating, Failures: 20, Pause: time.Minute, MaxPause: time.Hour, Disable: p.Circuit.Disable,
	}, p.Circuit)

	// Every kind of failure counts, and so does the one that is dead at once.
	state, now := circuit.State{}, accepted
	for range 10 {
		for _, outcome := range []delivery.Outcome{answer(413), failedWith(delivery.DNS)} {
			d := first(p, outcome, always(0))
			state, _ = circuit.Next(p.Circuit, state, d.Result(now, now, time.Second), p.MaxInFlight)
		}
	}
	require.Zero(t, circuit.ClaimLimit(p.Circuit, state, 4, now))
	require.Equal(t, 4, circuit.ClaimLimit(p.Circuit, state, 4, now.Add(time.Minute)))
}

func TestFairQueue_F12_ALostWorkersDeliveryReturnsAfterAMinute(t *testing.T) {
	t.Parallel()
	keepsF12(t, preset(t, "fair-queue"))
}

func keepsF12(t fataler, p *Policy) {
	require.Equal(t, time.Minute, p.Lease)
	now := accepted.Add(time.Minute)
	progress := Progress{CycleAttempt: 3, CycleStartedAt: accepted, FirstAttemptAt: accepted, ScheduledAt: accepted}
	d := Decide(p, progress, failedWith(delivery.InterruptedSend), now, always(0.7))
	require.Equal(t, delivery.Pending, d.State)
	require.Equal(t, now, d.NextAttemptAt, "at once, without jitter")
	require.Equal(t, delivery.InterruptedSend, d.ErrorCode)
	require.False(t, d.Failure, "the endpoint is not to blame")
	require.False(t, d.Success)

	progress.CycleAttempt = 20
	d = Decide(p, progress, failedWith(delivery.InterruptedSend), now, always(0))
	require.Equal(t, delivery.AttemptsExhausted, d.Reason, "but not for ever")
	progress.CycleAttempt = 3
	d = Decide(p, progress, failedWith(delivery.InterruptedSend), accepted.Add(72*time.Hour+1), always(0))
	require.Equal(t, delivery.TooOld, d.Reason)
}

func TestFairQueue_F13_SupersededDeliveriesAreNotReplayable(t *testing.T) {
	t.Parallel()
	keepsF13(t, preset(t, "fair-queue"))
}

func keepsF13(t fataler, p *Policy) {
	require.True(t, p.Replayable(delivery.Dead))
	for _, state := range []delivery.State{delivery.Superseded, delivery.Pending, delivery.Sending} {
		require.False(t, p.Replayable(state), state)
	}
}

func TestFairQueue_F14_Disabling(t *testing.T) {
	t.Parallel()
	keepsF14(t, preset(t, "fair-queue"))
}

func keepsF14(t fataler, p *Policy) {
	require.Equal(t, 5*24*time.Hour, p.Circuit.Disable.After)
	require.Zero(t, p.Circuit.Disable.Failures, "only time disables")
}

func TestFairQueue_WhereTheContractIsSilent(t *testing.T) {
	t.Parallel()
	keepsFairQueueSilent(t, preset(t, "fair-queue"))
}

func keepsFairQueueSilent(t fataler, p *Policy) {
	keepsQuiet(t, p)
	require.Equal(t, Finished, p.Schedule.Anchor)
	require.Equal(t, time.Second, p.Schedule.MinimumWait)
	require.Equal(t, 1, p.Circuit.Disable.MinAttempts)
	require.Equal(t, []time.Duration{24 * time.Hour, 3 * 24 * time.Hour}, p.Circuit.Disable.Warn)
	replaysAllThatIsClosed(t, p)
	require.False(t, p.ReplayOnEnable)
	require.Equal(t, []delivery.Reason{delivery.NoEndpoint, delivery.EndpointDisabled}, p.RecordSkips)
}

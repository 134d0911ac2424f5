package policy

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func TestAxxos_A03_EightRetriesOverAboutThirtyOneHours(t *testing.T) {
	t.Parallel()
	p := preset(t, "axxos")
	l := live(t, p, 0, always(0.5), failing)
	require.Equal(t, []time.Duration{
		30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
		time.Hour, 6 * time.Hour, 24 * time.Hour,
	}, l.waits)
	require.Len(t, l.attempts, 9)
	require.InDelta(t, 31, l.attempts[8].Sub(accepted).Hours(), 0.5)
	require.Equal(t, delivery.AttemptsExhausted, l.last.Reason)
	require.Equal(t, Jitter{Kind: PercentJitter, Percent: 20}, p.Schedule.Jitter)
}

func TestAxxos_A04_WhatIsRetried(t *testing.T) {
	t.Parallel()
	p := preset(t, "axxos")
	for _, status := range append(statuses(300, 599), 101) {
		d := first(p, answer(status), always(0))
		if status == 408 || status == 429 || status >= 500 {
			require.Equal(t, delivery.Pending, d.State, status)
			continue
		}
		require.Equal(t, delivery.Dead, d.State, status)
		require.Equal(t, delivery.Rejected, d.Reason, status)
		require.False(t, d.DisableEndpoint, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
	cutOff := answer(404)
	cutOff.Error = delivery.ResponseTruncated
	require.Equal(t, delivery.Dead, first(p, cutOff, always(0)).State, "the status counts, not the body")
}

func TestAxxos_A05_IdempotencyKeyIsOneUUID4PerEvent(t *testing.T) {
	t.Parallel()
	h := preset(t, "axxos").Headers
	require.Equal(t, "Idempotency-Key", h.IdempotencyKey)
	one := &delivery.Event{ID: delivery.ID{1, 2, 3}}
	key := h.IdempotencyValue(one)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, key)
	require.Equal(t, key, h.IdempotencyValue(one))
	require.NotEqual(t, key, h.IdempotencyValue(&delivery.Event{ID: delivery.ID{1, 2, 4}}))
}

func TestAxxos_A07_A08_ResendAndSignature(t *testing.T) {
	t.Parallel()
	p := preset(t, "axxos")
	require.True(t, p.Replayable(delivery.Dead))
	require.NotEmpty(t, p.Headers.Signature)
}

func TestGateway_G03_IdempotencyKeyAndAttemptNumber(t *testing.T) {
	t.Parallel()
	h := preset(t, "gateway").Headers
	require.Equal(t, "Idempotency-Key", h.IdempotencyKey)
	require.NotEmpty(t, h.Attempt)
	event := &delivery.Event{ID: delivery.NewID(1, accepted, zeros{})}
	require.Equal(t, event.ID.Format(delivery.EventPrefix), h.IdempotencyValue(event))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestGateway_G04_RefusalsAreDeadAtOnce(t *testing.T) {
	t.Parallel()
	p := preset(t, "gateway")
	final := map[int]delivery.Reason{
		400: delivery.Rejected, 405: delivery.Rejected, 410: delivery.Gone, 413: delivery.TooLarge,
		414: delivery.Rejected, 415: delivery.Rejected, 422: delivery.Rejected,
	}
	for _, status := range statuses(300, 599) {
		d := first(p, answer(status), always(0))
		if reason, isFinal := final[status]; isFinal {
			require.Equal(t, delivery.Dead, d.State, status)
			require.Equal(t, reason, d.Reason, status)
			continue
		}
		require.Equal(t, delivery.Pending, d.State, status)
	}
}

func TestGateway_G05_RetryAfterOf429IsObeyed(t *testing.T) {
	t.Parallel()
	p := preset(t, "gateway")
	for _, u := range []float64{0, 0.5, nearlyOne} {
		d := first(p, askedToWait(429, "90"), always(u))
		require.Equal(t, 90*time.Second, d.NextAttemptAt.Sub(accepted))
		require.Equal(t, ByRetryAfter, d.Cause)
	}
	d := first(p, askedToWait(500, "90"), always(0))
	require.Equal(t, accepted, d.NextAttemptAt)
}

func TestGateway_G06_FullJitterAndEightAttempts(t *testing.T) {
	t.Parallel()
	p := preset(t, "gateway")
	least, most := live(t, p, 0, always(0), failing), live(t, p, 0, always(nearlyOne), failing)
	require.Len(t, least.attempts, 8)
	require.Len(t, most.attempts, 8)
	for n := 1; n < 8; n++ {
		require.Zero(t, least.waits[n-1])
		require.Equal(t, min(p.Schedule.Cap, p.Schedule.Base<<(n-1)), most.waits[n-1])
	}
}

func TestGateway_G07_Circuit(t *testing.T) {
	t.Parallel()
	require.Equal(t, circuit.Settings{
		Kind: circuit.HalfOpenProbe, Failures: 10, Pause: 30 * time.Second, MaxPause: 30 * time.Minute,
	}, preset(t, "gateway").Circuit)
}

func TestRouta_R01_EightAttemptsOverAboutTwentyHours(t *testing.T) {
	t.Parallel()
	p := preset(t, "routa")
	l := live(t, p, 0, always(0.5), failing)
	require.Len(t, l.attempts, 8)
	require.InDelta(t, 20, l.attempts[7].Sub(accepted).Hours(), 0.5)
	require.True(t, slices.IsSorted(l.waits), "growing waits")
	require.Equal(t, Jitter{Kind: PercentJitter, Percent: 20}, p.Schedule.Jitter)
}

func TestRouta_R02_R03_Outcomes(t *testing.T) {
	t.Parallel()
	p := preset(t, "routa")
	require.Equal(t, 10*time.Second, p.Deadline)
	require.Equal(t, 4<<10, p.Response.ReadLimit)
	for _, status := range statuses(300, 599) {
		d := first(p, answer(status), always(0))
		if status == 410 {
			require.Equal(t, delivery.Gone, d.Reason)
			require.Equal(t, delivery.Dead, d.State)
			continue
		}
		require.Equal(t, delivery.Pending, d.State, status)
	}
}

func TestRouta_R05_OnlyDeadOnesCanBeReplayed(t *testing.T) {
	t.Parallel()
	p := preset(t, "routa")
	for _, state := range delivery.States {
		require.Equal(t, state == delivery.Dead, p.Replayable(state), state)
	}
}

func TestRouta_R06_R09_EndpointsTrouble(t *testing.T) {
	t.Parallel()
	require.True(t, preset(t, "routa").ReplayOnEnable)
	c := preset(t, "routa").Circuit
	require.Equal(t, 100, c.Disable.Failures)
	require.Equal(t, 24*time.Hour, c.Disable.After)
	require.Equal(t, 20, c.Disable.MinAttempts)
	require.Positive(t, c.SlowDown.InARow)
	require.Positive(t, c.SlowDown.RestoreAfter)
}

// What holds for every contract, whatever the random numbers are.
func TestEveryPreset_KeepsItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := preset(t, rapid.SampledFrom(presetNames).Draw(t, "policy"))
		took := time.Duration(rapid.Int64Range(0, int64(p.Deadline)).Draw(t, "took"))
		floor := time.Duration(rapid.IntRange(0, 30*3600).Draw(t, "retry after")) * time.Second
		random := rapid.Float64Range(0, nearlyOne)
		l := live(t, p, took, func() float64 { return random.Draw(t, "u") }, func(int) delivery.Outcome {
			return askedToWait(429, strconv.Itoa(int(floor/time.Second)))
		})
		timetable := Schedule(p)
		_, most := Attempts(timetable)
		require.LessOrEqual(t, len(l.attempts), most)
		for n, wait := range l.waits {
			nominal, obeyed := p.Schedule.Wait(n+1), min(floor, p.RetryAfter.Cap)
			if p.Schedule.Anchor == Finished {
				least, longest := p.Schedule.Jitter.spread(nominal, 0), p.Schedule.Jitter.spread(nominal, nearlyOne)
				require.GreaterOrEqual(t, wait, max(least, obeyed, p.Schedule.MinimumWait))
				require.LessOrEqual(t, wait, max(longest, obeyed, p.Schedule.MinimumWait))
			}
			require.GreaterOrEqual(t, wait, obeyed, "jitter never undercuts Retry-After")
		}
		if p.GiveUp.Age > 0 {
			require.LessOrEqual(t, l.attempts[len(l.attempts)-1].Sub(accepted), p.GiveUp.Age, "none past the window")
		}
		require.Equal(t, delivery.Dead, l.last.State)
	})
}

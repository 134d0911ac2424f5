package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var standardPromises = []promise{
	{"S01", keepsS01Success}, {"S01", keepsS01Body}, {"S02", keepsS02}, {"S03", keepsS03Statuses},
	{"S03", keepsS03RetryAfter}, {"S03", keepsS03SlowDown}, {"S04 S07", keepsS04S07}, {"S06", keepsS06},
	{"S08", keepsS08}, {"S09", keepsS09}, {silent, keepsStandardSilent},
}

func TestStandard_S01_Only2xxSucceedsWithin15Seconds(t *testing.T) {
	t.Parallel()
	keepsS01Success(t, preset(t, "standard"))
}

func keepsS01Success(t fataler, p *Policy) {
	require.Equal(t, 15*time.Second, p.Deadline)
	only2xxSucceeds(t, p)
}

func only2xxSucceeds(t fataler, p *Policy) {
	for _, status := range statuses(100, 999) {
		want := status >= 200 && status <= 299
		require.Equal(t, want, p.Succeeds(answer(status)), status)
		require.Equal(t, want, first(p, answer(status), always(0)).Success, status)
	}
	for _, code := range everyError() {
		require.False(t, p.Succeeds(failedWith(code)), code)
	}
	late := answer(200)
	late.Error = delivery.Timeout
	require.False(t, p.Succeeds(late), "a 2xx is in time or none")
}

func TestStandard_S01_ReadsOfTheBody(t *testing.T) {
	t.Parallel()
	keepsS01Body(t, preset(t, "standard"))
}

func keepsS01Body(t fataler, p *Policy) {
	require.Equal(t, 64<<10, p.Response.ReadLimit)
	require.Equal(t, 1<<10, p.Response.KeepFailed)
}

func TestStandard_S02_Schedule(t *testing.T) {
	t.Parallel()
	keepsS02(t, preset(t, "standard"))
}

func keepsS02(t fataler, p *Policy) {
	sameTimetable(t, p, "standard")
	require.False(t, p.Schedule.Repeat, "the table's end is the end, whatever the number of attempts")
	require.Equal(t, accepted, p.FirstAttemptAt(accepted), "the first one goes out at once")
	l := live(t, p, time.Second, always(0.5), failing)
	require.Len(t, l.attempts, 10)
	require.Equal(t, p.Schedule.Waits, l.waits, "with jitter in the middle, waits are the table's")
	require.Equal(t, delivery.Dead, l.last.State)
	require.Equal(t, delivery.AttemptsExhausted, l.last.Reason)
}

func TestStandard_S03_410IsDeadAndAllElseIsRetried(t *testing.T) {
	t.Parallel()
	keepsS03Statuses(t, preset(t, "standard"))
}

func keepsS03Statuses(t fataler, p *Policy) {
	for _, status := range statuses(300, 599) {
		d := first(p, answer(status), always(0))
		if status == 410 {
			require.Equal(t, delivery.Dead, d.State)
			require.Equal(t, delivery.Gone, d.Reason)
			require.True(t, d.DisableEndpoint)
			require.True(t, d.Result(accepted, accepted, 0).DisableNow)
			continue
		}
		require.Equal(t, delivery.Pending, d.State, status)
		require.False(t, d.DisableEndpoint, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
}

func TestStandard_S03_WhatSlowsDown(t *testing.T) {
	t.Parallel()
	keepsS03SlowDown(t, preset(t, "standard"))
}

func keepsS03SlowDown(t fataler, p *Policy) {
	slows := oneOf(429, 502, 504)
	for _, status := range statuses(300, 599) {
		require.Equal(t, slows(status), first(p, answer(status), always(0)).SlowDown, status)
	}
	for _, code := range everyError() {
		require.False(t, first(p, failedWith(code), always(0)).SlowDown, code)
	}
}

func TestStandard_S03_RetryAfterIsAFloorCappedAtADay(t *testing.T) {
	t.Parallel()
	keepsS03RetryAfter(t, preset(t, "standard"))
}

func keepsS03RetryAfter(t fataler, p *Policy) {
	obeys(t, p, everyStatus, 24*time.Hour, 4*time.Second)
}

func TestStandard_S04_S07_Headers(t *testing.T) {
	t.Parallel()
	keepsS04S07(t, preset(t, "standard"))
}

func keepsS04S07(t fataler, p *Policy) {
	require.Equal(t, Headers{
		ID: "webhook-id", Timestamp: "webhook-timestamp", Signature: "webhook-signature",
		Attempt: "webhook-attempt", Trigger: "webhook-trigger", IdempotencyKeyFrom: KeyFromEventID,
	}, p.Headers)
	require.Equal(t, StandardWebhooks, p.Signature.Scheme)
}

func TestStandard_S06_Envelope(t *testing.T) {
	t.Parallel()
	keepsS06(t, preset(t, "standard"))
}

func keepsS06(t fataler, p *Policy) {
	body := p.Envelope.Render(Fields{
		ID: "evt_1", Type: "invoice.paid", OccurredAt: accepted.Add(1234567 * time.Microsecond), AcceptedAt: accepted,
	}, []byte(`{"n": 1e400,"s":"\u0000"}`))
	require.Equal(t, `{"type":"invoice.paid","timestamp":"2026-03-01T12:00:01.234Z","data":{"n": 1e400,"s":"\u0000"}}`, string(body))
}

func TestStandard_S08_Disabling(t *testing.T) {
	t.Parallel()
	keepsS08(t, preset(t, "standard"))
}

func keepsS08(t fataler, p *Policy) {
	require.Equal(t, 5*24*time.Hour, p.Circuit.Disable.After)
	require.Equal(t, []time.Duration{24 * time.Hour, 3 * 24 * time.Hour}, p.Circuit.Disable.Warn)
	require.Zero(t, p.Circuit.Disable.Failures, "only time disables")
}

func TestStandard_S09_LimitAndCircuit(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	keepsS09(t, p)
	c := p.Circuit
	c.SlowDown, c.Disable = circuit.SlowDown{}, circuit.Disable{}
	require.Equal(t, preset(t, "gateway").Circuit, c, "as in gateway")
}

func keepsS09(t fataler, p *Policy) {
	require.Equal(t, 10, p.MaxInFlight)
	opensAfterTenFailures(t, p)
}

func TestStandard_WhereTheContractIsSilent(t *testing.T) {
	t.Parallel()
	keepsStandardSilent(t, preset(t, "standard"))
}

func keepsStandardSilent(t fataler, p *Policy) {
	keepsQuiet(t, p)
	require.False(t, p.Response.BrokenBodyFails)
	require.Equal(t, Finished, p.Schedule.Anchor)
	require.Equal(t, time.Second, p.Schedule.MinimumWait)
	require.Equal(t, circuit.SlowDown{RestoreAfter: 10}, p.Circuit.SlowDown)
	require.Equal(t, 1, p.Circuit.Disable.MinAttempts)
	require.Zero(t, p.GiveUp.Age)
	require.False(t, p.ReplayOnEnable)
	replaysAllThatIsClosed(t, p)
	require.Equal(t, []delivery.Reason{delivery.NoEndpoint, delivery.EndpointDisabled}, p.RecordSkips)
}

// replaysAllThatIsClosed but for what a newer event replaced.
func replaysAllThatIsClosed(t fataler, p *Policy) {
	for _, state := range delivery.States {
		require.Equal(t, !state.Open() && state != delivery.Superseded, p.Replayable(state), state)
	}
}

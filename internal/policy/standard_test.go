package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

func TestStandard_S01_Only2xxSucceeds(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	require.Equal(t, 15*time.Second, p.Deadline)
	for _, status := range statuses(100, 999) {
		want := status >= 200 && status <= 299
		require.Equal(t, want, p.Succeeds(answer(status)), status)
		require.Equal(t, want, first(p, answer(status), always(0)).Success, status)
	}
	for _, code := range everyError() {
		require.False(t, p.Succeeds(failedWith(code)), code)
	}
}

func TestStandard_S01_ReadsOfTheBody(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	require.Equal(t, Response{ReadLimit: 64 << 10, KeepFailed: 1 << 10}, p.Response)
	broken := answer(200)
	broken.Error = delivery.ResponseTruncated
	require.True(t, p.Succeeds(broken))
	late := answer(200)
	late.Error = delivery.Timeout
	require.False(t, p.Succeeds(late), "a 2xx is within 15 s or none")
}

func TestStandard_S02_Schedule(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	var table []string
	for _, row := range Schedule(p) {
		table = append(table, short(row.Without))
	}
	require.Equal(t, []string{
		"0s", "5s", "5m5s", "35m5s", "2h35m5s", "7h35m5s", "17h35m5s", "31h35m5s", "51h35m5s", "75h35m5s",
	}, table)
	require.Equal(t, Jitter{Kind: PercentJitter, Percent: 20}, p.Schedule.Jitter)
	require.Equal(t, accepted, p.FirstAttemptAt(accepted), "the first one goes out at once")

	l := live(t, p, time.Second, always(0.5), failing)
	require.Len(t, l.attempts, 10)
	require.Equal(t, p.Schedule.Waits, l.waits, "with jitter in the middle, waits are the table's")
	require.Equal(t, delivery.Dead, l.last.State)
	require.Equal(t, delivery.AttemptsExhausted, l.last.Reason)
}

func TestStandard_S03_410IsDeadAndDisablesTheEndpoint(t *testing.T) {
	t.Parallel()
	d := first(preset(t, "standard"), answer(410), always(0))
	require.Equal(t, delivery.Dead, d.State)
	require.Equal(t, delivery.Gone, d.Reason)
	require.True(t, d.DisableEndpoint)
	require.True(t, d.Result(accepted, accepted, 0).DisableNow)
}

func TestStandard_S03_WhatSlowsDownAndWhatIsRetried(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	for _, status := range statuses(300, 599) {
		if status == 410 {
			continue
		}
		d := first(p, answer(status), always(0))
		require.Equal(t, delivery.Pending, d.State, status)
		require.False(t, d.DisableEndpoint, status)
		require.Equal(t, slices.Contains([]int{429, 502, 504}, status), d.SlowDown, status)
	}
	for _, code := range everyError() {
		d := first(p, failedWith(code), always(0))
		require.Equal(t, delivery.Pending, d.State, code)
		require.False(t, d.SlowDown, code)
	}
}

func TestStandard_S03_RetryAfterIsAFloorCappedAtADay(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	for retryAfter, want := range map[string]time.Duration{
		"120":                           2 * time.Minute,
		"1":                             4 * time.Second, // jitter's least of 5 s is more
		"86400":                         24 * time.Hour,
		"86401":                         24 * time.Hour,
		"999999999999999999999999":      24 * time.Hour,
		"Sun, 01 Mar 2026 12:10:00 GMT": 10 * time.Minute,
		"Sun, 01 Mar 2099 12:10:00 GMT": 24 * time.Hour,
		"soon":                          4 * time.Second,
	} {
		d := first(p, askedToWait(503, retryAfter), always(0))
		require.Equal(t, want, d.NextAttemptAt.Sub(accepted), retryAfter)
	}
}

func TestStandard_S04_S07_Headers(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	require.Equal(t, Headers{
		ID: "webhook-id", Timestamp: "webhook-timestamp", Signature: "webhook-signature",
		Attempt: "webhook-attempt", Trigger: "webhook-trigger", IdempotencyKeyFrom: KeyFromEventID,
	}, p.Headers)
	require.Equal(t, StandardWebhooks, p.Signature.Scheme)
}

func TestStandard_S06_Envelope(t *testing.T) {
	t.Parallel()
	body := preset(t, "standard").Envelope.Render(Fields{
		ID: "evt_1", Type: "invoice.paid", OccurredAt: accepted.Add(1234567 * time.Microsecond), AcceptedAt: accepted,
	}, []byte(`{"n": 1e400,"s":"\u0000"}`))
	require.Equal(t, `{"type":"invoice.paid","timestamp":"2026-03-01T12:00:01.234Z","data":{"n": 1e400,"s":"\u0000"}}`, string(body))
}

func TestStandard_S08_Disabling(t *testing.T) {
	t.Parallel()
	require.Equal(t, circuit.Disable{
		After: 5 * 24 * time.Hour, MinAttempts: 1, Warn: []time.Duration{24 * time.Hour, 3 * 24 * time.Hour},
	}, preset(t, "standard").Circuit.Disable)
}

func TestStandard_S09_LimitAndCircuit(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	require.Equal(t, 10, p.MaxInFlight)
	c := p.Circuit
	c.SlowDown, c.Disable = circuit.SlowDown{}, circuit.Disable{}
	require.Equal(t, circuit.Settings{
		Kind: circuit.HalfOpenProbe, Failures: 10, Pause: 30 * time.Second, MaxPause: 30 * time.Minute,
	}, c)
	g := preset(t, "gateway").Circuit
	require.Equal(t, g, c, "as in gateway")
}

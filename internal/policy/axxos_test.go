package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var axxosPromises = []promise{
	{"A03", keepsA03}, {"A04", keepsA04}, {"A05", keepsA05}, {"A07 A08", keepsA07A08}, {"A10", keepsA10}, {silent, keepsAxxosSilent},
}

func TestAxxos_A03_EightRetriesOverAboutThirtyOneHours(t *testing.T) {
	t.Parallel()
	keepsA03(t, preset(t, "axxos"))
}

func keepsA03(t fataler, p *Policy) {
	sameTimetable(t, p, "axxos")
	require.False(t, p.Schedule.Repeat, "the table's end is the end, whatever the number of attempts")
	l := live(t, p, 0, always(0.5), failing)
	require.Len(t, l.attempts, 9)
	require.InDelta(t, 31, l.attempts[8].Sub(accepted).Hours(), 0.5)
	require.Equal(t, delivery.AttemptsExhausted, l.last.Reason)
}

func TestAxxos_A04_WhatIsRetried(t *testing.T) {
	t.Parallel()
	keepsA04(t, preset(t, "axxos"))
}

func keepsA04(t fataler, p *Policy) {
	only2xxSucceeds(t, p)
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
	require.Equal(t, []Rule{ // what is retried is said in full, though a refusal of all other answers would do
		{On: []Condition{"408", "429", "5xx", AnyError}},
		{On: []Condition{AnyStatus}, Dead: true, Reason: delivery.Rejected},
	}, p.Failures)
	cutOff := answer(404)
	cutOff.Error = delivery.ResponseTruncated
	require.Equal(t, delivery.Dead, first(p, cutOff, always(0)).State, "the status counts, not the body")
}

func TestAxxos_A05_IdempotencyKeyIsOneUUID4PerEvent(t *testing.T) {
	t.Parallel()
	keepsA05(t, preset(t, "axxos"))
}

func keepsA05(t fataler, p *Policy) {
	h := p.Headers
	require.Equal(t, "Idempotency-Key", h.IdempotencyKey)
	one := &delivery.Event{ID: delivery.ID{1, 2, 3}}
	key := h.IdempotencyValue(one)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, key)
	require.Equal(t, key, h.IdempotencyValue(one))
	require.NotEqual(t, key, h.IdempotencyValue(&delivery.Event{ID: delivery.ID{1, 2, 4}}))
}

func TestAxxos_A07_A08_ResendAndSignature(t *testing.T) {
	t.Parallel()
	keepsA07A08(t, preset(t, "axxos"))
}

func keepsA07A08(t fataler, p *Policy) {
	require.Equal(t, []delivery.State{delivery.Dead}, p.Redeliver)
	require.Equal(t, "webhook-signature", p.Headers.Signature)
}

// What a customer was not sent is part of the answer to what it was sent.
func TestAxxos_A10_WhatWasNotSentIsOnRecord(t *testing.T) {
	t.Parallel()
	keepsA10(t, preset(t, "axxos"))
}

func keepsA10(t fataler, p *Policy) { recordsEverySkip(t, p) }

func recordsEverySkip(t fataler, p *Policy) {
	for _, reason := range []delivery.Reason{
		delivery.NoEndpoint, delivery.TypeNotSubscribed, delivery.EndpointDisabled, delivery.Filtered,
	} {
		require.True(t, p.RecordsSkip(reason), reason)
	}
}

func TestAxxos_WhereTheContractIsSilent(t *testing.T) {
	t.Parallel()
	keepsAxxosSilent(t, preset(t, "axxos"))
}

func keepsAxxosSilent(t fataler, p *Policy) {
	keepsQuiet(t, p)
	require.Equal(t, 15*time.Second, p.Deadline)
	require.Equal(t, 10, p.MaxInFlight)
	require.Equal(t, Response{ReadLimit: 64 << 10, KeepFailed: 1 << 10}, p.Response)
	require.Equal(t, Finished, p.Schedule.Anchor)
	require.Equal(t, time.Second, p.Schedule.MinimumWait)
	obeys(t, p, oneOf(429, 503), 24*time.Hour, 24*time.Second)
	require.Zero(t, p.GiveUp.Age)
	require.Equal(t, circuit.Settings{Kind: circuit.None}, p.Circuit)
	h := p.Headers
	require.Equal(t, []string{"webhook-id", "webhook-timestamp", "webhook-attempt", "webhook-trigger"}, []string{h.ID, h.Timestamp, h.Attempt, h.Trigger})
	require.Equal(t, StandardWebhooks, p.Signature.Scheme)
	require.Equal(t, standardEnvelope, p.Envelope.Members)
	require.False(t, p.ReplayOnEnable)
}

package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// custom is a small policy that tests change.
func custom(t testing.TB, extra string) *Policy {
	t.Helper()
	p, err := Parse([]byte("name: custom\ndeadline: 5s\n" + extra))
	require.NoError(t, err)
	return p
}

func TestDecide_TheFirstRuleThatMatchesApplies(t *testing.T) {
	t.Parallel()
	p := custom(t, `
schedule: {kind: table, waits: [1m], then: repeat}
give_up: {attempts: 5}
failures:
  - {on: [404, tls], then: retry}
  - {on: [4xx], then: dead}
  - {on: [any_error], then: dead, reason: gone, disable_endpoint: true}
  - {on: [any], then: dead, reason: too_large}
`)
	for _, c := range []struct {
		outcome delivery.Outcome
		state   delivery.State
		reason  delivery.Reason
	}{
		{answer(404), delivery.Pending, ""},
		{answer(403), delivery.Dead, delivery.Rejected},
		{answer(500), delivery.Dead, delivery.TooLarge},
		{answer(204), delivery.Delivered, ""},
		{failedWith(delivery.TLS), delivery.Pending, ""},
		{failedWith(delivery.DNS), delivery.Dead, delivery.Gone},
		{failedWith(delivery.InterruptedSend), delivery.Pending, ""},
	} {
		d := first(p, c.outcome, always(0))
		require.Equal(t, c.state, d.State, "%+v", c.outcome)
		require.Equal(t, c.reason, d.Reason, "%+v", c.outcome)
		require.Equal(t, c.reason == delivery.Gone, d.DisableEndpoint)
		require.Equal(t, c.state == delivery.Pending, !d.NextAttemptAt.IsZero())
	}
}

func TestDecide_WhatARetryAfterRuleNamesIsObeyedAndNothingElse(t *testing.T) {
	t.Parallel()
	p := custom(t, "schedule: {kind: table, waits: [1m]}\nretry_after: {on: [503], cap: 1h}\n")
	require.Equal(t, 10*time.Minute, first(p, askedToWait(503, "600"), always(0)).NextAttemptAt.Sub(accepted))
	require.Equal(t, time.Minute, first(p, askedToWait(429, "600"), always(0)).NextAttemptAt.Sub(accepted))
}

func TestDecide_AnyStatusNamesAnswersOnly(t *testing.T) {
	t.Parallel()
	p := custom(t, "schedule: {kind: table, waits: [1m]}\nfailures: [{on: [any_status], then: dead}]\n")
	require.Equal(t, delivery.Dead, first(p, answer(503), always(0)).State)
	require.Equal(t, delivery.Pending, first(p, failedWith(delivery.Reset), always(0)).State)
}

func TestDecide_RetryAfterCountsFromTheAnswerWhateverTheAnchor(t *testing.T) {
	t.Parallel()
	p := custom(t, "schedule: {kind: table, waits: [1m], anchor: scheduled}\nretry_after: {on: [any], cap: 1h}\n")
	progress := Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}
	now := accepted.Add(10 * time.Minute)
	d := Decide(p, progress, askedToWait(503, "120"), now, always(0))
	require.Equal(t, 2*time.Minute, d.NextAttemptAt.Sub(now))
}

func TestDecide_MinimumWait(t *testing.T) {
	t.Parallel()
	p := custom(t, "schedule: {kind: exponential, base: 10s, cap: 1h, jitter: {kind: full}, minimum_wait: 3s}\ngive_up: {attempts: 9}\n")
	d := first(p, answer(500), always(0))
	require.Equal(t, 3*time.Second, d.NextAttemptAt.Sub(accepted))
	require.Equal(t, ByMinimumWait, d.Cause)
	d = first(p, answer(500), always(0.5))
	require.Equal(t, 5*time.Second, d.NextAttemptAt.Sub(accepted))
	require.Equal(t, BySchedule, d.Cause)
}

func TestDecide_FirstDelay(t *testing.T) {
	t.Parallel()
	p := custom(t, "schedule: {kind: table, waits: [1m], first_delay: 10s}\n")
	require.Equal(t, accepted.Add(10*time.Second), p.FirstAttemptAt(accepted))
}

func TestDecide_AReplayBeginsANewCycle(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	replayed := accepted.Add(100 * 24 * time.Hour)
	d := Decide(p, Progress{CycleAttempt: 1, CycleStartedAt: replayed, ScheduledAt: replayed}, answer(500), replayed, always(0))
	require.Equal(t, delivery.Pending, d.State)
	require.Equal(t, 15*time.Second, d.NextAttemptAt.Sub(replayed), "the first wait again")
}

func TestDecide_ErrorCodeOfTheAttempt(t *testing.T) {
	t.Parallel()
	p := preset(t, "standard")
	cutOff := answer(500)
	cutOff.Error = delivery.ResponseTruncated
	broken := answer(200)
	broken.Error = delivery.Reset
	for _, c := range []struct {
		outcome delivery.Outcome
		want    delivery.ErrorCode
	}{
		{answer(200), ""}, {broken, ""}, {answer(500), delivery.HTTPStatus}, {cutOff, delivery.HTTPStatus},
		{failedWith(delivery.NoSecret), delivery.NoSecret},
		{delivery.Outcome{Status: 101, Error: delivery.Protocol}, delivery.Protocol},
		{delivery.Outcome{Status: 500, Error: delivery.HTTPStatus}, delivery.HTTPStatus},
		{delivery.Outcome{}, delivery.HTTPStatus},
	} {
		require.Equal(t, c.want, first(p, c.outcome, always(0)).ErrorCode, "%+v", c.outcome)
	}
}

// Whatever comes in, a decision is one of three and complete.
func TestDecide_IsAlwaysComplete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := preset(t, rapid.SampledFrom(presetNames).Draw(t, "policy"))
		now := accepted.Add(time.Duration(rapid.Int64Range(-int64(48*time.Hour), int64(200*time.Hour)).Draw(t, "now")))
		progress := Progress{
			CycleAttempt:   rapid.IntRange(0, 40).Draw(t, "attempt"),
			CycleStartedAt: accepted,
			ScheduledAt:    accepted.Add(time.Duration(rapid.IntRange(0, 300000).Draw(t, "scheduled")) * time.Second),
		}
		outcome := delivery.Outcome{
			Status:     rapid.IntRange(0, 999).Draw(t, "status"),
			Error:      rapid.SampledFrom(append(delivery.ErrorCodes, "")).Draw(t, "error"),
			RetryAfter: rapid.SampledFrom([]string{"", "7", "99999999", "Sun, 01 Mar 2026 13:00:00 GMT", "x"}).Draw(t, "retry after"),
		}
		d := Decide(p, progress, outcome, now, always(rapid.Float64Range(0, nearlyOne).Draw(t, "u")))
		switch d.State {
		case delivery.Delivered:
			require.True(t, d.Success)
			require.Empty(t, d.ErrorCode)
		case delivery.Pending:
			require.False(t, d.NextAttemptAt.IsZero())
			require.Empty(t, d.Reason)
		case delivery.Dead:
			require.NotEmpty(t, d.Reason)
			require.Zero(t, d.NextAttemptAt)
		default:
			t.Fatalf("state %q", d.State)
		}
		require.NotEmpty(t, d.Cause)
		require.False(t, d.Success && d.Failure)
		saysNothing := d.ErrorCode == delivery.InterruptedSend || d.ErrorCode == delivery.SMTPRejected
		require.Equal(t, saysNothing, !d.Success && !d.Failure)
		require.Equal(t, d.Success, d.State == delivery.Delivered)
		require.NotEmpty(t, Explain(p, progress, outcome, now, d))
	})
}

func BenchmarkDecide(b *testing.B) {
	p := preset(b, "standard")
	progress := Progress{CycleAttempt: 3, CycleStartedAt: accepted, FirstAttemptAt: accepted, ScheduledAt: accepted}
	for name, outcome := range map[string]delivery.Outcome{
		"success":     answer(200),
		"retry":       answer(503),
		"retry-after": askedToWait(429, "120"),
		"date":        askedToWait(429, "Sun, 01 Mar 2026 13:00:00 GMT"),
	} {
		b.Run(name, func(b *testing.B) {
			random := always(0.5)
			b.ReportAllocs()
			for b.Loop() {
				Decide(p, progress, outcome, accepted, random)
			}
		})
	}
}

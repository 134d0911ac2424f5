package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var routaPromises = []promise{
	{"R01", keepsR01}, {"R02 R03", keepsR02R03}, {"R05", keepsR05}, {"R06", keepsR06}, {"R09", keepsR09}, {silent, keepsRoutaSilent},
}

func TestRouta_R01_EightAttemptsOverAboutTwentyHours(t *testing.T) {
	t.Parallel()
	keepsR01(t, preset(t, "routa"))
}

func keepsR01(t fataler, p *Policy) {
	sameTimetable(t, p, "routa")
	require.False(t, p.Schedule.Repeat, "the table's end is the end, whatever the number of attempts")
	l := live(t, p, 0, always(0.5), failing)
	require.Len(t, l.attempts, 8)
	require.InDelta(t, 20, l.attempts[7].Sub(accepted).Hours(), 0.5)
	require.True(t, slices.IsSorted(l.waits), "growing waits")
	require.Equal(t, delivery.AttemptsExhausted, l.last.Reason)
}

func TestRouta_R02_R03_Outcomes(t *testing.T) {
	t.Parallel()
	keepsR02R03(t, preset(t, "routa"))
}

func keepsR02R03(t fataler, p *Policy) {
	require.Equal(t, 10*time.Second, p.Deadline)
	require.Equal(t, 4<<10, p.Response.ReadLimit)
	only2xxSucceeds(t, p)
	for _, status := range statuses(300, 599) {
		d := first(p, answer(status), always(0))
		require.False(t, d.DisableEndpoint, status)
		if status == 410 {
			require.Equal(t, delivery.Gone, d.Reason)
			require.Equal(t, delivery.Dead, d.State)
			continue
		}
		require.Equal(t, delivery.Pending, d.State, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
}

func TestRouta_R05_OnlyDeadOnesCanBeReplayed(t *testing.T) {
	t.Parallel()
	keepsR05(t, preset(t, "routa"))
}

func keepsR05(t fataler, p *Policy) {
	for _, state := range delivery.States {
		require.Equal(t, state == delivery.Dead, p.Replayable(state), state)
	}
}

func TestRouta_R06_DisablingAndEnabling(t *testing.T) {
	t.Parallel()
	keepsR06(t, preset(t, "routa"))
}

func keepsR06(t fataler, p *Policy) {
	require.True(t, p.ReplayOnEnable)
	require.True(t, p.RecordsSkip(delivery.EndpointDisabled), "events are still logged")

	disabledBy := func(failures int, over time.Duration) bool {
		state := circuit.State{}
		for i := range failures {
			at := accepted.Add(over * time.Duration(i) / time.Duration(failures-1))
			d := first(p, answer(500), always(0))
			state, _ = circuit.Next(p.Circuit, state, d.Result(at, at, time.Second), p.MaxInFlight)
		}
		return !state.DisabledAt.IsZero()
	}
	require.False(t, disabledBy(99, time.Hour))
	require.True(t, disabledBy(100, time.Hour))
	require.False(t, disabledBy(19, 24*time.Hour))
	require.True(t, disabledBy(20, 24*time.Hour))
	require.False(t, disabledBy(20, 24*time.Hour-time.Second))
}

func TestRouta_R09_BoundsAndSlowEndpoints(t *testing.T) {
	t.Parallel()
	keepsR09(t, preset(t, "routa"))
}

func keepsR09(t fataler, p *Policy) {
	require.Equal(t, 10, p.MaxInFlight)
	state, now := circuit.State{}, accepted
	answers := func(times int, took time.Duration) int {
		for range times {
			now = now.Add(time.Minute)
			state, _ = circuit.Next(p.Circuit, state, circuit.Result{Success: true, ClaimedAt: now, At: now, Took: took}, p.MaxInFlight)
		}
		return circuit.ClaimLimit(p.Circuit, state, p.MaxInFlight, now)
	}
	require.Equal(t, 10, answers(9, 5*time.Second+1))
	require.Equal(t, 10, answers(1, 5*time.Second), "not slower than half the deadline")
	require.Equal(t, 10, answers(9, 5*time.Second+1))
	require.Equal(t, 5, answers(1, 5*time.Second+1))
	require.Equal(t, 5, answers(9, time.Second))
	require.Equal(t, 10, answers(1, time.Second))
}

func TestRouta_WhereTheContractIsSilent(t *testing.T) {
	t.Parallel()
	keepsRoutaSilent(t, preset(t, "routa"))
}

func keepsRoutaSilent(t fataler, p *Policy) {
	keepsQuiet(t, p)
	require.Equal(t, Response{ReadLimit: 4 << 10, KeepFailed: 1 << 10}, p.Response)
	require.Equal(t, Finished, p.Schedule.Anchor)
	require.Equal(t, time.Second, p.Schedule.MinimumWait)
	obeys(t, p, oneOf(429, 503), time.Hour, 48*time.Second)
	require.Zero(t, p.GiveUp.Age)
	for _, status := range statuses(300, 599) {
		require.Equal(t, status == 429, first(p, answer(status), always(0)).SlowDown, status)
	}
	require.Equal(t, circuit.None, p.Circuit.Kind)
	require.Equal(t, []time.Duration{12 * time.Hour}, p.Circuit.Disable.Warn)
	require.Equal(t, preset(t, "standard").Headers, p.Headers)
	require.Equal(t, StandardWebhooks, p.Signature.Scheme)
	require.Equal(t, standardEnvelope, p.Envelope.Members)
	require.Equal(t, []delivery.Reason{delivery.NoEndpoint, delivery.EndpointDisabled}, p.RecordSkips)
}

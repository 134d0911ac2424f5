package endpoints

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/records"
)

func TestConditionOf(t *testing.T) {
	t.Parallel()
	ever := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for want, e := range map[condition]records.Endpoint{
		healthy:       {Status: "active", Circuit: "closed", Limit: 10, MaxInFlight: 10, LastSuccessAt: &ever},
		unused:        {Status: "active", Circuit: "closed", Limit: 10, MaxInFlight: 10},
		failing:       {Status: "active", Circuit: "closed", Limit: 5, MaxInFlight: 10, ConsecutiveFailures: 3, LastFailureAt: &ever},
		slowed:        {Status: "active", Circuit: "closed", Limit: 5, MaxInFlight: 10, LastSuccessAt: &ever},
		probed:        {Status: "active", Circuit: "half_open", Limit: 1, MaxInFlight: 10, ConsecutiveFailures: 10},
		opened:        {Status: "active", Circuit: "open", Limit: 1, MaxInFlight: 10, ConsecutiveFailures: 10},
		paused:        {Status: "paused", Circuit: "open", ConsecutiveFailures: 10},
		disabledByOne: {Status: "disabled_by_user", Circuit: "open", ConsecutiveFailures: 10},
		disabledByUs:  {Status: "disabled_by_system", Circuit: "closed", ConsecutiveFailures: 10},
	} {
		require.Equal(t, want, conditionOf(e))
		require.Contains(t, conditionWords, string(want))
		s := state{Endpoint: e, Is: want}
		require.NotEmpty(t, s.sentences(t.Context()), want)
		require.NotEmpty(t, want.icon())
	}
}

// Whatever may befall an endpoint has words and an icon.
func TestTurns_HaveWords(t *testing.T) {
	t.Parallel()
	for _, kind := range circuit.SignalKinds {
		require.Contains(t, turnWords, string(kind))
		require.Contains(t, turnIcons, string(kind))
	}
	for kind := range turnIcons {
		require.Contains(t, turnWords, kind)
	}
	for _, reason := range []circuit.DisableReason{circuit.DisabledGone, circuit.DisabledFailures, circuit.DisabledDuration} {
		require.Contains(t, disabledWords, string(reason))
	}
}

func TestTurn_Detail(t *testing.T) {
	t.Parallel()
	for want, turn := range map[string]turn{
		"After 10 failures in a row.":                 {Kind: "circuit_opened", Detail: "10 consecutive failures"},
		"For 1 day so far.":                           {Kind: "endpoint_failing", Detail: "24h0m0s"},
		"It answered that it is gone for good (410).": {Kind: "endpoint_disabled", Detail: "gone"},
		"What changed: url":                           {Kind: "update-webhook-endpoint", Detail: "url"},
		"3 dead deliveries went back into the queue.": {Kind: "enable-webhook-endpoint", Detail: "replayed_count: 3"},
		"1 delivery was discarded.":                   {Kind: "discard-webhook-endpoint", Detail: "discarded_count: 1"},
		"":                                            {Kind: "enable-webhook-endpoint", Detail: "replayed_count: 0"},
	} {
		require.Equal(t, want, turn.detail(t.Context()))
	}
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://hooks.example/a?b": "hooks.example", "http://127.0.0.1:8080/": "127.0.0.1:8080", "mailto:ana@example.com": "mailto:ana@example.com",
	} {
		require.Equal(t, want, confirmation(address))
	}
}

func TestRateOf(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]string{50: "50 per second", 2.5: "2.5 per second", 0.001: "0.001 per second"} {
		require.Equal(t, want, rateOf(t.Context(), &rate))
	}
	require.Equal(t, noLimitText.PT, rateOf(lang.With(t.Context(), lang.Portuguese), nil))
}

package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// bounded decides a first attempt under the default policy, as the delivery allows.
func bounded(t *testing.T, claim *delivery.Claim, outcome delivery.Outcome) Decision {
	t.Helper()
	progress := Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}
	return Decide(preset(t, "standard"), progress, outcome, accepted, always(0.5)).Bounded(claim, outcome)
}

func TestAxxos_A06_AtMostOnceRepeatsOnlyWhatNeverLeft(t *testing.T) {
	t.Parallel()
	claim := &delivery.Claim{Endpoint: &delivery.Endpoint{AtMostOnce: true}}
	neverLeft := []delivery.ErrorCode{
		delivery.DNS, delivery.ConnectRefused, delivery.Connect, delivery.BlockedAddress, delivery.URLNotAllowed, delivery.NoSecret,
		delivery.SMTPAuth, delivery.SMTPDeferred, delivery.SMTPRejected, // the mail server does not have it
	}
	for _, code := range append(everyError(), delivery.InterruptedSend) {
		d := bounded(t, claim, failedWith(code))
		switch {
		case code == delivery.InterruptedSend:
			require.Equal(t, Decision{State: delivery.Dead, Reason: delivery.Interrupted, ErrorCode: code, Cause: ByAtMostOnce}, d)
		case slices.Contains(neverLeft, code):
			require.Equal(t, delivery.Pending, d.State, code)
			require.Equal(t, BySchedule, d.Cause, code)
		default:
			require.Equal(t, delivery.Dead, d.State, code)
			require.Equal(t, delivery.AttemptsExhausted, d.Reason, code)
		}
	}
	for _, status := range []int{100, 301, 400, 429, 500, 503} {
		require.Equal(t, delivery.Dead, bounded(t, claim, answer(status)).State, status)
	}
	require.Equal(t, delivery.Delivered, bounded(t, claim, answer(204)).State)
	require.Equal(t, delivery.Gone, bounded(t, claim, answer(410)).Reason, "what the policy ends, it ends for its own reason")
}

func TestBounded_AnOverruledDecisionKeepsNothingOfTheRetry(t *testing.T) {
	t.Parallel()
	for name, claim := range map[string]*delivery.Claim{
		"at most once": {Endpoint: &delivery.Endpoint{AtMostOnce: true}},
		"a test":       {Endpoint: &delivery.Endpoint{}, Trigger: delivery.TriggerTest},
	} {
		d := bounded(t, claim, answer(503))
		require.Equal(t, time.Time{}, d.NextAttemptAt, name)
		require.Contains(t, []Cause{ByAtMostOnce, ByTest}, d.Cause, name)
		require.Equal(t, delivery.HTTPStatus, d.ErrorCode, name)
		require.True(t, d.Failure, "%s: the endpoint failed all the same", name)
	}
}

func TestStandard_S07_ATestGetsOneAttempt(t *testing.T) {
	t.Parallel()
	claim := &delivery.Claim{Endpoint: &delivery.Endpoint{}, Trigger: delivery.TriggerTest}
	for _, code := range append(everyError(), delivery.InterruptedSend) {
		want := delivery.AttemptsExhausted
		if code == delivery.InterruptedSend {
			want = delivery.Interrupted
		}
		d := bounded(t, claim, failedWith(code))
		require.Equal(t, delivery.Dead, d.State, code)
		require.Equal(t, want, d.Reason, code)
	}
	require.Equal(t, delivery.Delivered, bounded(t, claim, answer(200)).State)
}

func TestBounded_LeavesAllOthersAlone(t *testing.T) {
	t.Parallel()
	claim := &delivery.Claim{Endpoint: &delivery.Endpoint{}, Trigger: delivery.TriggerReplay}
	for _, code := range append(everyError(), delivery.InterruptedSend) {
		progress := Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}
		d := Decide(preset(t, "standard"), progress, failedWith(code), accepted, always(0.5))
		require.Equal(t, d, d.Bounded(claim, failedWith(code)), code)
	}
}

package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

var gatewayPromises = []promise{
	{"G03", keepsG03}, {"G04", keepsG04}, {"G05", keepsG05}, {"G06", keepsG06}, {"G07", keepsG07}, {"G10", keepsG10},
	{silent, keepsGatewaySilent},
}

func TestGateway_G03_IdempotencyKeyAndAttemptNumber(t *testing.T) {
	t.Parallel()
	keepsG03(t, preset(t, "gateway"))
}

func keepsG03(t fataler, p *Policy) {
	require.Equal(t, "Idempotency-Key", p.Headers.IdempotencyKey)
	require.Equal(t, "webhook-attempt", p.Headers.Attempt)
	event := &delivery.Event{ID: delivery.NewID(1, accepted, zeros{})}
	require.Equal(t, event.ID.Format(delivery.EventPrefix), p.Headers.IdempotencyValue(event))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestGateway_G04_RefusalsAreDeadAtOnce(t *testing.T) {
	t.Parallel()
	keepsG04(t, preset(t, "gateway"))
}

func keepsG04(t fataler, p *Policy) {
	final := map[int]delivery.Reason{
		400: delivery.Rejected, 405: delivery.Rejected, 410: delivery.Gone, 413: delivery.TooLarge,
		414: delivery.Rejected, 415: delivery.Rejected, 422: delivery.Rejected,
	}
	for _, status := range statuses(300, 599) {
		d := first(p, answer(status), always(0))
		require.False(t, d.DisableEndpoint, status)
		if reason, isFinal := final[status]; isFinal {
			require.Equal(t, delivery.Dead, d.State, status)
			require.Equal(t, reason, d.Reason, status)
			continue
		}
		require.Equal(t, delivery.Pending, d.State, status)
	}
	for _, code := range everyError() {
		require.Equal(t, delivery.Pending, first(p, failedWith(code), always(0)).State, code)
	}
}

func TestGateway_G05_RetryAfterOf429IsObeyed(t *testing.T) {
	t.Parallel()
	keepsG05(t, preset(t, "gateway"))
}

func keepsG05(t fataler, p *Policy) {
	for _, u := range []float64{0, 0.5, nearlyOne} {
		d := first(p, askedToWait(429, "90"), always(u))
		require.Equal(t, 90*time.Second, d.NextAttemptAt.Sub(accepted))
		require.Equal(t, ByRetryAfter, d.Cause)
	}
}

func TestGateway_G06_FullJitterAndEightAttempts(t *testing.T) {
	t.Parallel()
	keepsG06(t, preset(t, "gateway"))
}

func keepsG06(t fataler, p *Policy) {
	sameTimetable(t, p, "gateway")
	least, most := live(t, p, 0, always(0), failing), live(t, p, 0, always(nearlyOne), failing)
	require.Len(t, least.attempts, 8)
	require.Len(t, most.attempts, 8)
	for n := 1; n < 8; n++ {
		require.Zero(t, least.waits[n-1])
		require.Equal(t, min(p.Schedule.Cap, p.Schedule.Base<<(n-1)), most.waits[n-1])
	}
	require.Equal(t, delivery.AttemptsExhausted, least.last.Reason)
}

func TestGateway_G07_Circuit(t *testing.T) {
	t.Parallel()
	keepsG07(t, preset(t, "gateway"))
}

func keepsG07(t fataler, p *Policy) { opensAfterTenFailures(t, p) }

// opensAfterTenFailures for 30 s, doubling up to 30 min, with one probe.
func opensAfterTenFailures(t fataler, p *Policy) {
	state, now := circuit.State{}, accepted
	fail := func() {
		d := first(p, answer(500), always(0))
		state, _ = circuit.Next(p.Circuit, state, d.Result(now, now, time.Second), p.MaxInFlight)
	}
	limit := func() int { return circuit.ClaimLimit(p.Circuit, state, p.MaxInFlight, now) }
	for range 10 {
		require.Equal(t, p.MaxInFlight, limit())
		fail()
	}
	for _, minutes := range []float64{0.5, 1, 2, 4, 8, 16, 30, 30} {
		pause := time.Duration(minutes * float64(time.Minute))
		now = now.Add(pause - 1)
		require.Zero(t, limit(), "a pause of %v", pause)
		now = now.Add(1)
		require.Equal(t, 1, limit(), "one probe after %v", pause)
		fail()
	}
}

func TestGateway_G10_AClaimIsALease(t *testing.T) {
	t.Parallel()
	keepsG10(t, preset(t, "gateway"))
}

func keepsG10(t fataler, p *Policy) {
	require.Greater(t, p.Lease, p.Deadline, "or the living would be taken for dead")
	d := first(p, failedWith(delivery.InterruptedSend), always(0.5))
	require.Equal(t, delivery.Pending, d.State)
	require.Equal(t, accepted, d.NextAttemptAt, "back at once")
}

func TestGateway_WhereTheContractIsSilent(t *testing.T) {
	t.Parallel()
	keepsGatewaySilent(t, preset(t, "gateway"))
}

func keepsGatewaySilent(t fataler, p *Policy) {
	keepsQuiet(t, p)
	only2xxSucceeds(t, p)
	require.Equal(t, 15*time.Second, p.Deadline)
	require.Equal(t, 10, p.MaxInFlight)
	require.Equal(t, Response{ReadLimit: 64 << 10, KeepFailed: 1 << 10}, p.Response)
	require.Equal(t, 30*time.Second, p.Schedule.Base)
	require.Equal(t, time.Hour, p.Schedule.Cap, "eight attempts never come to it")
	require.Equal(t, Finished, p.Schedule.Anchor)
	obeys(t, p, oneOf(429), 24*time.Hour, 0)
	require.Zero(t, p.GiveUp.Age)
	require.Zero(t, p.Circuit.SlowDown)
	require.Zero(t, p.Circuit.Disable)
	h := p.Headers
	require.Equal(t, []string{"webhook-id", "webhook-timestamp", "webhook-signature", "webhook-trigger"}, []string{h.ID, h.Timestamp, h.Signature, h.Trigger})
	require.Equal(t, StandardWebhooks, p.Signature.Scheme)
	require.Equal(t, standardEnvelope, p.Envelope.Members)
	replaysAllThatIsClosed(t, p)
	require.False(t, p.ReplayOnEnable)
	require.Equal(t, []delivery.Reason{delivery.NoEndpoint, delivery.EndpointDisabled}, p.RecordSkips)
}

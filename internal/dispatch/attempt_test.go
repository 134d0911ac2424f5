package dispatch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// After a long stop of the whole process (SIGSTOP) a claim is as good as lost:
// whoever claims the delivery anew may already be sending it.
func TestAttempt_I5_IsNotMadeWhenItCouldOutliveItsLease(t *testing.T) {
	t.Parallel()
	deadline := policyNamed(t, "fair-queue").Deadline
	const lease = time.Minute
	for name, test := range map[string]struct {
		stopped time.Duration
		isSent  bool
	}{
		"at once":           {0, true},
		"just in time":      {lease - deadline - leaseMargin, true},
		"a hair too late":   {lease - deadline - leaseMargin + 1, false},
		"long past its end": {time.Hour, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			stopped := test.stopped
			r := newRig(answering(0, 204), func(o *Options) {
				o.Policies = policies(func(string) (*policy.Policy, error) {
					pause(t.Context(), stopped)
					stopped = 0 // once
					return policyNamed(t, "fair-queue"), nil
				})
			})
			r.memory.lane(1, 1)
			r.start(t)
			elapse(t, test.stopped+time.Millisecond)
			require.Equal(t, states(delivery.Delivered, 1), r.memory.states(), name)
			first := r.memory.outcomes()[0]
			if test.isSent {
				require.Equal(t, policy.Sent, first.Kind, name)
				return
			}
			require.Equal(t, policy.Unsent, first.Kind, name)
			require.Equal(t, 1, r.memory.outcomes()[1].Claim.Attempt, "%s: what was not sent is not counted", name)
			require.Len(t, r.sender.sent(), 1, name)
		})
	}
}

func TestAttempt_GoesByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-25 * time.Hour, 0, 25 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(answering(3*time.Second, 503), nil)
			r.pool.start()
			now := time.Now()
			lane := r.memory.lane(1, 1)
			lane.inFlight = 1
			claim := &delivery.Claim{
				DeliveryID: lane.pending[0].id, Endpoint: lane.endpoint, Attempt: 1, CycleAttempt: 1,
				ReceivedAt: now, ClaimedAt: now.Add(ahead), CycleStartedAt: now.Add(ahead), LeaseUntil: now.Add(ahead + time.Minute),
			}
			pause(t.Context(), 2*time.Second)
			r.attempt(t.Context(), claim)
			r.pool.finish()

			require.Equal(t, []time.Time{now.Add(ahead + 2*time.Second)}, r.sender.signed(), "what is signed and recorded")
			done := r.memory.outcomes()[0]
			require.Equal(t, now.Add(ahead+5*time.Second), done.CompletedAt)
			wait := done.Decision.NextAttemptAt.Sub(done.CompletedAt)
			require.GreaterOrEqual(t, wait, 15*time.Second, "F07 from the database's now")
			require.LessOrEqual(t, wait, 30*time.Second)
		})
	}
}

func TestAttempt_G07_WithoutItsPolicyNoAttemptIsSpent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		isKnown := make(chan struct{})
		r := newRig(answering(0, 204), func(o *Options) {
			o.Policies = policies(func(string) (*policy.Policy, error) {
				select {
				case <-isKnown:
					return policyNamed(t, "standard"), nil
				default:
					return nil, errors.New("the database is away")
				}
			})
		})
		r.memory.lane(1, 1)
		r.start(t)
		elapse(t, time.Minute)
		require.Empty(t, r.sender.sent())
		require.LessOrEqual(t, len(r.memory.outcomes()), 12, "and it does not go round and round")
		for _, done := range r.memory.outcomes() {
			require.Equal(t, policy.Unsent, done.Kind)
		}
		close(isKnown)
		elapse(t, policyPause)
		require.Equal(t, states(delivery.Delivered, 1), r.memory.states())
		outcomes := r.memory.outcomes()
		require.Equal(t, 1, outcomes[len(outcomes)-1].Claim.Attempt)
	})
}

func TestAttempt_IsNotBegunWhenTheDrainIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(0, 204), func(o *Options) {
			o.DrainTimeout = time.Second
			o.Policies = policies(func(string) (*policy.Policy, error) {
				pause(t.Context(), 3*time.Second)
				return policyNamed(t, "standard"), nil
			})
		})
		r.memory.lane(1, 1)
		r.start(t)
		synctest.Wait()
		r.stop()
		<-r.ended
		require.Empty(t, r.sender.sent())
		require.Equal(t, policy.Unsent, r.memory.outcomes()[0].Kind)
	})
}

func TestFairQueue_F09_DecisionsReachTheCompletion(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		state    delivery.State
		reason   delivery.Reason
		disables bool
	}{
		204: {state: delivery.Delivered},
		410: {delivery.Dead, delivery.Gone, true},
		413: {delivery.Dead, delivery.TooLarge, false},
		500: {state: delivery.Pending},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(answering(0, status), nil)
			r.memory.lane(1, 1)
			r.start(t)
			synctest.Wait()
			done := r.memory.outcomes()[0]
			require.Equal(t, policy.Sent, done.Kind)
			require.Equal(t, want.state, done.Decision.State, status)
			require.Equal(t, want.reason, done.Decision.Reason, status)
			require.Equal(t, want.disables, done.Decision.DisableEndpoint, status)
			require.Equal(t, status, done.Outcome.Status)
			require.Equal(t, policyNamed(t, "fair-queue").Circuit, *done.Circuit)
		})
	}
}

func TestAxxos_A06_AtMostOnceIsNeverSentTwice(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]delivery.Outcome{
		"an answer":       {Status: 503},
		"no answer":       {Error: delivery.Timeout},
		"a broken answer": {Error: delivery.Reset},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(&sending{answer: func(context.Context, *delivery.Claim) delivery.Outcome { return outcome }}, nil)
			r.memory.lane(1, 1).endpoint.AtMostOnce = true
			r.start(t)
			elapse(t, 10*time.Minute)
			require.Len(t, r.sender.sent(), 1, name)
			require.Equal(t, states(delivery.Dead, 1), r.memory.states(), name)
		})
	}
}

func TestAxxos_A06_InterruptedByTheDrainIsDead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(answering(time.Hour, 204), nil)
		r.memory.lane(1, 1).endpoint.AtMostOnce = true
		r.start(t)
		synctest.Wait()
		r.stop()
		<-r.ended
		require.Equal(t, delivery.Dead, r.memory.outcomes()[0].Decision.State)
		require.Equal(t, delivery.Interrupted, r.memory.outcomes()[0].Decision.Reason)
	})
}

// policies is a Policies made of a function.
type policies func(name string) (*policy.Policy, error)

func (p policies) Policy(name string) (*policy.Policy, error) { return p(name) }

func policyNamed(t *testing.T, name string) *policy.Policy {
	t.Helper()
	p, known := policy.Preset(name)
	require.True(t, known)
	return p
}

func TestAttempt_PanicIsAFailedAttemptAndNotTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(&sending{answer: func(context.Context, *delivery.Claim) delivery.Outcome { panic("a bug") }}, nil)
		r.memory.lane(1, 1)
		r.start(t)
		elapse(t, time.Second)
		outcomes := r.memory.outcomes()
		require.Len(t, outcomes, 1)
		require.Equal(t, delivery.Protocol, outcomes[0].Decision.ErrorCode)
		require.Equal(t, states(delivery.Pending, 1), r.memory.states())
	})
}

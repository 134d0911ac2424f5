package dispatch

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// leaseMargin is what must be left of a lease beyond the deadline when an
// attempt starts: time to complete it before anybody else may claim it (I5).
const leaseMargin = 5 * time.Second

// policyPause is how long a claim is kept whose policy cannot be read. Handed
// back at once, it would be claimed again at once.
const policyPause = 5 * time.Second

// errDrained is why attempts are cut short at the end of a drain.
var errDrained = errors.New("the process is stopping")

// attempt sends one claimed delivery and passes on what follows. It hands the
// claim back where nothing may be sent: without knowing the policy, because
// nothing goes out under a contract that nobody chose and nobody's budget is
// spent on our troubles; when the drain is over; or when the lease nearly is, as
// after a long pause of the whole process.
func (d *Dispatcher) attempt(ctx context.Context, claim *delivery.Claim) {
	contract, err := d.options.Policies.Policy(claim.Endpoint.Policy)
	if err != nil {
		d.log.Error("an endpoint's policy cannot be read; its deliveries wait",
			append(logClaim(claim), "policy", claim.Endpoint.Policy, "error", err)...)
		pause(ctx, policyPause)
		d.unsent(claim)
		return
	}
	now := claim.DatabaseTime(time.Now())
	isLate := now.Add(contract.Deadline + leaseMargin).After(claim.LeaseUntil)
	if isLate || ctx.Err() != nil {
		d.log.Warn("a claim came too late to be sent", logClaim(claim)...)
		d.unsent(claim)
		return
	}
	d.options.Observer.AttemptStarted()
	outcome := d.send(ctx, claim, contract, now)
	d.quota.end(claim) // before its completion can signal that there is room
	done := d.decide(claim, contract, outcome)
	d.options.Observer.AttemptEnded(done.Decision.ErrorCode, done.Decision.Success, outcome.Duration)
	d.pool.add(done)
}

// send makes the attempt. A panic in it is a bug of ours; it must not end the
// process, or one delivery would end every worker that claims it, one after
// another. It is recorded as a failed attempt, and waits its turn like any other.
func (d *Dispatcher) send(ctx context.Context, claim *delivery.Claim, contract *policy.Policy, now time.Time) (outcome delivery.Outcome) {
	started := time.Now()
	defer func() {
		if problem := recover(); problem != nil {
			d.log.Error("an attempt panicked", append(logClaim(claim), "panic", problem, "stack", string(debug.Stack()))...)
			outcome = delivery.Outcome{
				Error: delivery.Protocol, ErrorText: "Malote failed to make the attempt; its log says why.",
				StartedAt: now, Duration: time.Since(started),
			}
		}
	}()
	return d.options.Sender.Send(ctx, claim, contract, now)
}

func (d *Dispatcher) decide(claim *delivery.Claim, contract *policy.Policy, outcome delivery.Outcome) policy.Completion {
	now := claim.DatabaseTime(time.Now())
	return policy.Completion{
		Kind: policy.Sent, Claim: claim, Outcome: outcome, CompletedAt: now, Circuit: &contract.Circuit,
		Decision: policy.Decide(contract, progressOf(claim), outcome, now, d.options.Random).Bounded(claim, outcome),
	}
}

// progressOf is what a policy needs to know of a claim.
func progressOf(claim *delivery.Claim) policy.Progress {
	return policy.Progress{
		CycleAttempt: claim.CycleAttempt, CycleStartedAt: claim.CycleStartedAt,
		FirstAttemptAt: claim.FirstAttemptAt, ScheduledAt: claim.ScheduledAt,
	}
}

func logClaim(claim *delivery.Claim) []any {
	return []any{
		"delivery", claim.DeliveryID.Format(delivery.DeliveryPrefix),
		"event", claim.Event.ID.Format(delivery.EventPrefix),
		"endpoint", claim.Endpoint.ID.Format(delivery.EndpointPrefix),
		"attempt", claim.Attempt,
	}
}

package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// leaseMargin is what must be left of a lease beyond the deadline when an
// attempt starts: time to complete it before anybody else may claim it (I5).
const leaseMargin = 5 * time.Second

// errDrained is why attempts are cut short at the end of a drain.
var errDrained = errors.New("the process is stopping")

// attempt sends one claimed delivery, unless its lease is nearly over already –
// after a long pause of the whole process – and passes on what follows.
func (d *Dispatcher) attempt(ctx context.Context, claim *delivery.Claim) {
	contract, err := d.options.Policies.Policy(claim.Endpoint.Policy)
	if err != nil {
		d.pool.add(d.withoutPolicy(claim, err))
		return
	}
	now := claim.DatabaseTime(time.Now())
	if now.Add(contract.Deadline + leaseMargin).After(claim.LeaseUntil) {
		d.log.Warn("a claim came too late to be sent", logClaim(claim)...)
		d.pool.add(policy.Completion{Kind: policy.Unsent, Claim: claim, CompletedAt: now})
		return
	}
	d.options.Observer.AttemptStarted()
	outcome := d.options.Sender.Send(ctx, claim, contract, now)
	done := d.decide(claim, contract, outcome)
	d.options.Observer.AttemptEnded(done.Decision.ErrorCode, done.Decision.Success, outcome.Duration)
	d.pool.add(done)
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

// withoutPolicy is an attempt that failed before it could be made, because this
// process does not know the endpoint's policy. It is retried as the default
// policy says; nothing is sent under a contract that nobody chose.
func (d *Dispatcher) withoutPolicy(claim *delivery.Claim, err error) policy.Completion {
	d.log.Error("an endpoint's policy is missing", append(logClaim(claim), "policy", claim.Endpoint.Policy, "error", err)...)
	standard, _ := policy.Preset(policy.Default)
	return d.decide(claim, standard, delivery.Outcome{
		Error: delivery.URLNotAllowed, ErrorText: "the endpoint's policy " + claim.Endpoint.Policy + " is not known",
		StartedAt: claim.DatabaseTime(time.Now()),
	})
}

func logClaim(claim *delivery.Claim) []any {
	return []any{
		"delivery", claim.DeliveryID.Format(delivery.DeliveryPrefix),
		"event", claim.Event.ID.Format(delivery.EventPrefix),
		"endpoint", claim.Endpoint.ID.Format(delivery.EndpointPrefix),
		"attempt", claim.Attempt,
	}
}

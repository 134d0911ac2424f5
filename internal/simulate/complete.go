package simulate

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// complete records what an attempt came to and all that follows from it
// (Store.Complete).
func (p *platform) complete(a *Attempt) {
	d, l := a.Delivery, a.Delivery.lane
	a.process.release(a)
	l.inFlight--
	a.EndedAt = p.now
	a.Decision = policy.Decide(l.contract, policy.Progress{
		CycleAttempt: a.Claim.CycleAttempt, CycleStartedAt: a.Claim.CycleStartedAt,
		FirstAttemptAt: a.Claim.FirstAttemptAt, ScheduledAt: a.Claim.ScheduledAt,
	}, a.Outcome, p.now, p.random).Bounded(&a.Claim, a.Outcome)

	wake := never
	if !a.isLost() { // a lost worker says nothing about the endpoint
		wake = p.observe(l, a)
	}
	d.State, d.Reason = a.Decision.State, a.Decision.Reason
	if d.State == delivery.Pending {
		d.NextAttemptAt = a.Decision.NextAttemptAt
		l.pending.push(d)
		wake = earlier(wake, d.NextAttemptAt)
	} else {
		d.ClosedAt = p.now
	}
	if l.parkedFull { // there is room again
		l.parkedFull = false
		wake = p.now
	}
	p.setReady(l, l.readyAfter(wake))
	p.planWarning(l)
	p.observer.ended(a)
	p.dispatch()
}

// readyAfter is complete_update_lanes.sql: not before a pause ends, not at all
// while the endpoint is stopped.
func (l *lane) readyAfter(wake time.Time) time.Time {
	if l.status != delivery.Active {
		return never
	}
	return later(l.circuit.PausedUntil, earlier(l.readyAt, wake))
}

// observe tells the circuit what an attempt showed, and says when the lane must
// be looked at because of that (completedLane.observe).
func (p *platform) observe(l *lane, a *Attempt) (wake time.Time) {
	before := l.circuit
	l.standing = l.standing.After(a.Outcome)
	result := a.Decision.Result(a.Claim.ClaimedAt, p.now, a.Outcome.Duration)
	next, signals := circuit.Next(l.contract.Circuit, l.circuit, result, l.maxInFlight)
	l.circuit = next
	l.claimLimit = l.limitAfter(next, p.now)
	if next.DisabledAt.After(before.DisabledAt) && l.status.Accepts() {
		l.status = delivery.DisabledBySystem
	}
	if len(signals) > 0 {
		p.observer.signalled(signals)
	}
	if next.PausedUntil.Before(before.PausedUntil) || l.claimLimit > l.limitAfter(before, p.now) {
		return p.now // more may be claimed than the last look allowed
	}
	return never
}

// limitAfter is what the next claim may have in flight (completedLane.limitOf):
// no claim sees a lane whose circuit is open, so it is the limit that holds when
// the pause is over.
func (l *lane) limitAfter(state circuit.State, at time.Time) int {
	at = later(at, state.PausedUntil)
	state.DisabledAt = time.Time{} // a stopped lane is not claimed from at all
	return max(1, circuit.ClaimLimit(l.contract.Circuit, state, l.maxInFlight, at))
}

// planWarning plans a look at the warning that comes due by time alone. The real
// one looks around regularly; this one looks at the very instant.
func (p *platform) planWarning(l *lane) {
	warn := l.contract.Circuit.Disable.Warn
	if l.circuit.FirstFailureAt.IsZero() || l.circuit.WarnedLevel >= len(warn) {
		return
	}
	due := l.circuit.FirstFailureAt.Add(warn[l.circuit.WarnedLevel])
	if due.Equal(l.warnedAt) || !due.After(p.now) {
		return
	}
	l.warnedAt = due
	p.at(due, func() {
		if l.status != delivery.Active || l.pending.len() == 0 && l.inFlight == 0 {
			return
		}
		var signals []circuit.Signal
		l.circuit, signals = circuit.Tick(l.contract.Circuit, l.circuit, p.now)
		if len(signals) > 0 {
			p.observer.signalled(signals)
		}
		p.planWarning(l)
	})
}

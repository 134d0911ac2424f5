package policy

import (
	"time"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// Random gives numbers uniform in [0,1).
type Random func() float64

// Progress is how far a delivery had come when the attempt was made.
type Progress struct {
	CycleAttempt   int       // 1… since publish or the last replay: the attempt just made
	CycleStartedAt time.Time // acceptance, or the replay
	FirstAttemptAt time.Time // of this cycle; zero: the attempt just made was the first
	ScheduledAt    time.Time // when the attempt just made was due
}

// Cause says which part of the policy a decision comes from.
type Cause string

// The causes.
const (
	BySuccess     Cause = "success"
	BySchedule    Cause = "schedule"
	ByRetryAfter  Cause = "retry_after"
	ByMinimumWait Cause = "minimum_wait"
	ByRule        Cause = "rule"
	ByAttempts    Cause = "attempts"
	ByAge         Cause = "age"
	ByLostWorker  Cause = "lost_worker"
	ByTest        Cause = "test"         // Bounded: a test gets one attempt
	ByAtMostOnce  Cause = "at_most_once" // Bounded: A06
)

// Decision is what follows from an attempt.
type Decision struct {
	State         delivery.State     // Delivered, Pending or Dead
	NextAttemptAt time.Time          // Pending
	Reason        delivery.Reason    // Dead
	ErrorCode     delivery.ErrorCode // of the attempt, HTTPStatus included; "" after a success
	Cause         Cause

	// Success and Failure are what the attempt says about the endpoint. Both
	// are false if it says nothing: its worker was interrupted, or a mail was
	// refused.
	Success         bool
	Failure         bool
	DisableEndpoint bool
	SlowDown        bool
}

// Result is what the endpoint's circuit is told. Both instants come from the
// database's clock.
func (d Decision) Result(claimedAt, at time.Time, took time.Duration) circuit.Result {
	return circuit.Result{
		Success: d.Success, Failure: d.Failure, SlowDown: d.SlowDown, DisableNow: d.DisableEndpoint,
		ClaimedAt: claimedAt, At: at, Took: took,
	}
}

// Decide says what follows from an attempt that came to outcome and ended now.
// Pure: the same arguments and random numbers give the same decision.
//
// An interrupted attempt goes back to the queue at once (F12). That it must
// not, where a delivery is sent at most once (A06), is the caller's to know.
func Decide(p *Policy, progress Progress, outcome delivery.Outcome, now time.Time, random Random) Decision {
	failure := p.errorCode(outcome)
	if failure == "" {
		return Decision{State: delivery.Delivered, Cause: BySuccess, Success: true}
	}
	lost := failure == delivery.InterruptedSend // the policy's rules are about endpoints, not workers
	// A mail that is refused for good says nothing of the server that all go through.
	decision := Decision{ErrorCode: failure, Failure: !lost && failure != delivery.SMTPRejected}
	if rule := p.rule(outcome.Status, failure); rule != nil && !lost {
		decision.DisableEndpoint, decision.SlowDown = rule.DisableEndpoint, rule.SlowDown
		if rule.Dead {
			return decision.dead(rule.Reason, ByRule)
		}
	}
	if most := p.MostAttempts(); most > 0 && progress.CycleAttempt >= most {
		return decision.dead(delivery.AttemptsExhausted, ByAttempts)
	}
	due, cause := p.due(progress, outcome, failure, now, random)
	if p.pastWindow(due, progress, outcome, now) {
		return decision.dead(delivery.TooOld, ByAge)
	}
	decision.State, decision.NextAttemptAt, decision.Cause = delivery.Pending, due, cause
	return decision
}

func (d Decision) dead(reason delivery.Reason, cause Cause) Decision {
	d.State, d.Reason, d.Cause = delivery.Dead, reason, cause
	return d
}

func (p *Policy) due(progress Progress, outcome delivery.Outcome, failure delivery.ErrorCode, now time.Time, random Random) (time.Time, Cause) {
	if failure == delivery.InterruptedSend {
		return now, ByLostWorker
	}
	floor := p.RetryAfter.floor(outcome, failure, now)
	scheduled := progress.ScheduledAt
	if begun := progress.begun(outcome, now); progress.CycleAttempt == 1 && begun.After(scheduled) {
		// A cycle that began late, because its endpoint was paused, has its waits and
		// its window from when it began (D05): or the waits that are overdue would all
		// be made at once.
		scheduled = begun
	}
	return p.next(progress.CycleAttempt, scheduled, now, floor, random)
}

// begun is when the first attempt of the cycle began.
func (progress Progress) begun(outcome delivery.Outcome, now time.Time) time.Time {
	switch {
	case !progress.FirstAttemptAt.IsZero():
		return progress.FirstAttemptAt
	case !outcome.StartedAt.IsZero():
		return outcome.StartedAt
	}
	return now
}

// pastWindow says whether an attempt at due would lie past the age at which
// the delivery is given up. One that lies exactly at the end does not: D05 rules
// out what is later than 72 hours, and they are not. So dracma's sixteenth
// attempt is made if all jitter sums to 17 min 30 s, and not a second more.
func (p *Policy) pastWindow(due time.Time, progress Progress, outcome delivery.Outcome, now time.Time) bool {
	if p.GiveUp.Age == 0 {
		return false
	}
	from := progress.CycleStartedAt
	if p.GiveUp.AgeFrom == FromFirstAttempt {
		from = progress.begun(outcome, now)
	}
	return due.Sub(from) > p.GiveUp.Age
}

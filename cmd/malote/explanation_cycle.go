package main

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// clockSlack is how much an instant that was computed here may differ from the
// server's: durations are recorded in milliseconds, and clocks differ.
const clockSlack = 5 * time.Second

// nearlyOne is as far as jitter goes.
const nearlyOne = 1 - 1.0/(1<<53)

// cycled is an attempt and how far the delivery had come in its cycle.
type cycled struct {
	progress policy.Progress
	outcome  delivery.Outcome
	trigger  delivery.Trigger
	endedAt  time.Time
}

// last finds the last attempt's place in its cycle. The API tells attempts by
// their number over the delivery's whole life; a new cycle begins with every
// replay, which only follows an attempt that left nothing pending.
func (x explanation) last() (cycled, bool) {
	var current cycled
	for i, attempt := range x.delivery.Attempts {
		if attempt.StartedAt == nil || attempt.ScheduledAt == nil {
			return cycled{}, false
		}
		next := cycled{outcome: outcomeOf(attempt), trigger: delivery.Trigger(attempt.Trigger)}
		next.endedAt = attempt.StartedAt.Add(time.Duration(attempt.DurationMS) * time.Millisecond)
		begins := i == 0 || next.trigger != current.trigger || x.policy != nil && x.decide(current, 0).State != delivery.Pending
		if begins {
			next.progress = policy.Progress{CycleAttempt: 1, CycleStartedAt: *attempt.ScheduledAt}
			if i == 0 && x.delivery.CreatedAt != nil {
				next.progress.CycleStartedAt = *x.delivery.CreatedAt
			}
		} else {
			next.progress = current.progress
			next.progress.CycleAttempt++
			if next.progress.FirstAttemptAt.IsZero() {
				next.progress.FirstAttemptAt = current.outcome.StartedAt
			}
		}
		next.progress.ScheduledAt = *attempt.ScheduledAt
		current = next
	}
	return current, len(x.delivery.Attempts) > 0
}

// decide asks the policy what follows from an attempt, with the least (0) or
// the most jitter, as far as the delivery itself lets it have its way.
func (x explanation) decide(a cycled, jitter float64) policy.Decision {
	claim := &delivery.Claim{Trigger: a.trigger, Endpoint: &delivery.Endpoint{}}
	if x.target != nil {
		claim.Endpoint.AtMostOnce = x.target.AtMostOnce
	}
	return policy.Decide(x.policy, a.progress, a.outcome, a.endedAt, func() float64 { return jitter }).Bounded(claim, a.outcome)
}

// outcomeOf is the attempt as the policy knows it. What a Retry-After asked for
// is not in the API.
func outcomeOf(a attemptView) delivery.Outcome {
	outcome := delivery.Outcome{StartedAt: *a.StartedAt, Duration: time.Duration(a.DurationMS) * time.Millisecond}
	if a.ResponseStatus != nil {
		outcome.Status = *a.ResponseStatus
	}
	// A whole answer with a bad status is no error but for the policy.
	if a.ErrorCode != nil && *a.ErrorCode != string(delivery.HTTPStatus) {
		outcome.Error = delivery.ErrorCode(*a.ErrorCode)
	}
	return outcome
}

package main

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/hindsight"
)

// life is the delivery as hindsight looks at it.
func (x explanation) life() hindsight.Life {
	life := hindsight.Life{
		Policy: x.policy, State: delivery.State(x.delivery.State), DeadReason: delivery.Reason(orAbsent(x.delivery.DeadReason)),
		Trigger: delivery.Trigger(x.delivery.Trigger), CreatedAt: instantOf(x.delivery.CreatedAt), NextAttemptAt: instantOf(x.delivery.NextAttemptAt),
		AtMostOnce: x.target != nil && x.target.AtMostOnce,
	}
	for _, attempt := range x.delivery.Attempts {
		life.Attempts = append(life.Attempts, hindsight.Attempt{
			Trigger: delivery.Trigger(attempt.Trigger), ScheduledAt: instantOf(attempt.ScheduledAt), Outcome: outcomeOf(attempt),
		})
	}
	return life
}

func instantOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// outcomeOf is the attempt as the policy knows it. What a Retry-After asked for
// is not in the API.
func outcomeOf(a attemptView) delivery.Outcome {
	outcome := delivery.Outcome{StartedAt: instantOf(a.StartedAt), Duration: time.Duration(a.DurationMS) * time.Millisecond}
	if a.ResponseStatus != nil {
		outcome.Status = *a.ResponseStatus
	}
	// A whole answer with a bad status is no error but for the policy.
	if a.ErrorCode != nil && *a.ErrorCode != string(delivery.HTTPStatus) {
		outcome.Error = delivery.ErrorCode(*a.ErrorCode)
	}
	return outcome
}

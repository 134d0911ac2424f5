// Package hindsight says by which clause of its policy a delivery came to be
// where it is: it asks the policy again what followed from each attempt that was
// made.
//
// It decides nothing: the state and the next instant are given, and an answer
// that the policy would not give now (it changed, a person acted) is said to be
// none of its. It must never know storage, HTTP or languages.
package hindsight

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// Slack is how much an instant that is computed here may differ from the one
// that was: durations are recorded in milliseconds, and clocks differ.
const Slack = 5 * time.Second

// nearlyOne is as far as jitter goes.
const nearlyOne = 1 - 1.0/(1<<53)

// Attempt is one that was made. What a Retry-After asked for is not known.
type Attempt struct {
	Trigger     delivery.Trigger
	ScheduledAt time.Time
	Outcome     delivery.Outcome
}

// Life is a delivery's, as far as it has come.
type Life struct {
	Policy        *policy.Policy // nil: it is not known
	AtMostOnce    bool           // of its endpoint
	State         delivery.State
	DeadReason    delivery.Reason
	Trigger       delivery.Trigger // why it was last put into the queue
	CreatedAt     time.Time
	NextAttemptAt time.Time // zero unless it is pending
	Attempts      []Attempt
}

// Step is an attempt and how far the delivery had come in its cycle.
type Step struct {
	Progress policy.Progress
	Outcome  delivery.Outcome
	Trigger  delivery.Trigger
	EndedAt  time.Time
}

// Steps finds every attempt's place in its cycle. Attempts are counted over the
// delivery's whole life; a new cycle begins with every replay, which only follows
// an attempt that left nothing pending. It is empty if an instant is missing.
func (l Life) Steps() []Step {
	steps := make([]Step, 0, len(l.Attempts))
	var current Step
	for i, attempt := range l.Attempts {
		if attempt.Outcome.StartedAt.IsZero() || attempt.ScheduledAt.IsZero() {
			return nil
		}
		next := Step{Outcome: attempt.Outcome, Trigger: attempt.Trigger}
		next.EndedAt = attempt.Outcome.StartedAt.Add(attempt.Outcome.Duration)
		begins := i == 0 || next.Trigger != current.Trigger || l.Policy != nil && l.decide(current, 0).State != delivery.Pending
		if begins {
			next.Progress = policy.Progress{CycleAttempt: 1, CycleStartedAt: attempt.ScheduledAt}
			if i == 0 && !l.CreatedAt.IsZero() {
				next.Progress.CycleStartedAt = l.CreatedAt
			}
		} else {
			next.Progress = current.Progress
			next.Progress.CycleAttempt++
			if next.Progress.FirstAttemptAt.IsZero() {
				next.Progress.FirstAttemptAt = current.Outcome.StartedAt
			}
		}
		next.Progress.ScheduledAt = attempt.ScheduledAt
		current = next
		steps = append(steps, current)
	}
	return steps
}

// Verdict is what the policy decided after the last attempt. Ours is false if
// what is there is none of the policy's doing: a person's, a restart's, or an
// older policy's.
func (l Life) Verdict() (last Step, decided policy.Decision, ours bool) {
	steps := l.Steps()
	if len(steps) == 0 || l.Policy == nil {
		return Step{}, policy.Decision{}, false
	}
	last = steps[len(steps)-1]
	if l.State == delivery.Pending {
		decided, ours = l.scheduled(last)
		return last, decided, ours
	}
	decided = l.decide(last, 0)
	same := decided.State == l.State && (decided.State != delivery.Dead || decided.Reason == l.DeadReason)
	return last, decided, same
}

// scheduled is the decision that made the next attempt due when it is.
func (l Life) scheduled(last Step) (policy.Decision, bool) {
	least, most := l.decide(last, 0), l.decide(last, nearlyOne)
	if most.State != delivery.Pending || last.Trigger != l.Trigger || l.NextAttemptAt.IsZero() {
		return policy.Decision{}, false
	}
	switch {
	case most.Cause == policy.ByLostWorker:
		return most, true
	case l.NextAttemptAt.Before(least.NextAttemptAt.Add(-Slack)):
		return policy.Decision{}, false
	case l.NextAttemptAt.After(most.NextAttemptAt.Add(Slack)):
		most.Cause = policy.ByRetryAfter // the schedule alone never waits so long
		return most, last.Outcome.Status != 0 && len(l.Policy.RetryAfter.On) > 0
	default:
		return most, true
	}
}

// decide asks the policy what follows from an attempt, with the least (0) or the
// most jitter, as far as the delivery itself lets it have its way.
func (l Life) decide(a Step, jitter float64) policy.Decision {
	claim := &delivery.Claim{Trigger: a.Trigger, Endpoint: &delivery.Endpoint{AtMostOnce: l.AtMostOnce}}
	return policy.Decide(l.Policy, a.Progress, a.Outcome, a.EndedAt, func() float64 { return jitter }).Bounded(claim, a.Outcome)
}

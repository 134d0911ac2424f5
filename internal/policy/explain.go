package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// Explain says in a sentence or two what follows from an attempt, and which
// field of the policy has it so. The arguments are those of Decide, with what
// it decided.
func Explain(p *Policy, progress Progress, outcome delivery.Outcome, now time.Time, decision Decision) string {
	if decision.Cause == BySuccess {
		return fmt.Sprintf("Attempt %d succeeded with HTTP %d (success).", progress.CycleAttempt, outcome.Status)
	}
	if decision.Cause == ByLostWorker {
		return fmt.Sprintf("The worker of attempt %d was lost before it recorded an outcome, so the delivery went back to the queue at once (lease: %s).",
			progress.CycleAttempt, short(p.Lease))
	}
	failed := fmt.Sprintf("Attempt %d failed (%s)", progress.CycleAttempt, failedBy(outcome, decision.ErrorCode))
	var explained string
	if decision.State == delivery.Dead {
		explained = fmt.Sprintf("%s: the delivery is dead (%s), %s.", failed, decision.Reason, p.whyDead(outcome, decision))
	} else {
		in := decision.NextAttemptAt.Sub(now).Round(time.Millisecond)
		explained = fmt.Sprintf("%s: attempt %d is due in %s, %s.",
			failed, progress.CycleAttempt+1, short(max(in, 0)), p.whyThen(progress, decision))
	}
	return explained + p.consequences(decision)
}

func failedBy(outcome delivery.Outcome, code delivery.ErrorCode) string {
	if code == delivery.HTTPStatus {
		return fmt.Sprintf("HTTP %d", outcome.Status)
	}
	return string(code)
}

func (p *Policy) whyDead(outcome delivery.Outcome, decision Decision) string {
	switch decision.Cause {
	case ByRule:
		rule := p.rule(outcome.Status, decision.ErrorCode)
		return fmt.Sprintf("because the policy does not retry %s (failures)", listed(rule.On))
	case ByAttempts:
		return fmt.Sprintf("because it has used up its %d attempts (give_up.attempts)", p.MostAttempts())
	case ByAge:
		from := "acceptance"
		if p.GiveUp.AgeFrom == FromFirstAttempt {
			from = "the first attempt"
		}
		return fmt.Sprintf("because the next attempt would lie past %s from %s (give_up.age)", short(p.GiveUp.Age), from)
	case ByTest:
		return "because a test gets one attempt"
	case ByAtMostOnce:
		return "because its endpoint takes every event at most once (at_most_once)"
	default:
		return "because it allows no further attempt"
	}
}

func (p *Policy) whyThen(progress Progress, decision Decision) string {
	switch decision.Cause {
	case ByRetryAfter:
		return fmt.Sprintf("because the answer's Retry-After is a floor, obeyed up to %s (retry_after.cap)", short(p.RetryAfter.Cap))
	case ByMinimumWait:
		return fmt.Sprintf("because a retry never follows sooner than %s (schedule.minimum_wait)", short(p.Schedule.MinimumWait))
	}
	wait := fmt.Sprintf("by the schedule's %s after failed attempt %d", short(p.Schedule.Wait(progress.CycleAttempt)), progress.CycleAttempt)
	if p.Schedule.Anchor == Scheduled {
		wait += ", counted from when that was due"
	}
	return wait + p.Schedule.Jitter.explain()
}

func (j Jitter) explain() string {
	switch j.Kind {
	case EqualJitter:
		return ", half of it random (schedule.jitter)"
	case FullJitter:
		return ", all of it random (schedule.jitter)"
	case PercentJitter:
		return fmt.Sprintf(", ±%g %% at random (schedule.jitter)", j.Percent)
	case AdditiveJitter:
		return fmt.Sprintf(", plus up to %g %% at random (schedule.jitter)", j.Percent)
	default:
		return " (schedule)"
	}
}

func (p *Policy) consequences(decision Decision) string {
	var also strings.Builder
	if decision.DisableEndpoint {
		also.WriteString(" The endpoint is disabled (failures).")
	}
	if decision.SlowDown {
		also.WriteString(" The endpoint is slowed down (slow_down).")
	}
	return also.String()
}

package deliveries

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/hindsight"
	"github.com/malotehq/malote/internal/policy"
)

// next says what happens next with a delivery, when, and by which clause of its
// policy.
type next struct {
	view   subject
	now    time.Time
	last   hindsight.Step
	decide policy.Decision
	ours   bool // the policy has it so
}

func nextOf(view subject, now time.Time) next {
	n := next{view: view, now: now}
	n.last, n.decide, n.ours = lifeOf(view).Verdict()
	return n
}

func lifeOf(view subject) hindsight.Life {
	d := view.Delivery
	life := hindsight.Life{
		Policy: view.Policy, AtMostOnce: view.Endpoint != nil && view.Endpoint.AtMostOnce,
		State: delivery.State(d.State), DeadReason: delivery.Reason(d.DeadReason), Trigger: delivery.Trigger(d.Trigger),
		CreatedAt: d.CreatedAt, NextAttemptAt: records.At(d.NextAttemptAt),
	}
	for _, a := range d.Attempts {
		outcome := delivery.Outcome{StartedAt: a.StartedAt, Duration: a.Duration(), Status: a.ResponseStatus}
		if a.ErrorCode != string(delivery.HTTPStatus) { // a whole answer is no error but for the policy
			outcome.Error = delivery.ErrorCode(a.ErrorCode)
		}
		life.Attempts = append(life.Attempts, hindsight.Attempt{
			Trigger: delivery.Trigger(a.Trigger), ScheduledAt: a.ScheduledAt, Outcome: outcome,
		})
	}
	return life
}

// sentences say it in the visitor's language.
func (n next) sentences(ctx context.Context) []string {
	d := n.view.Delivery
	switch delivery.State(d.State) {
	case delivery.Pending:
		return append(n.pending(ctx), n.held(ctx)...)
	case delivery.Sending:
		return []string{sendingNow.In(ctx, d.AttemptCount)}
	case delivery.Delivered:
		return []string{ui.StateHelp.In(ctx, d.State), nothingMore.In(ctx)}
	case delivery.Dead:
		return append([]string{ui.DeadWords.In(ctx, d.DeadReason)}, n.dead(ctx)...)
	case delivery.Skipped:
		return []string{ui.SkipWords.In(ctx, d.SkipReason), nothingWasSent.In(ctx)}
	default:
		return []string{ui.StateHelp.In(ctx, d.State), nothingMore.In(ctx)}
	}
}

func (n next) pending(ctx context.Context) []string {
	d := n.view.Delivery
	due := records.At(d.NextAttemptAt)
	said := []string{dueNow.In(ctx, d.AttemptCount+1)}
	if due.After(n.now) {
		said = []string{dueIn.In(ctx, d.AttemptCount+1, lang.Duration(ctx, due.Sub(n.now).Round(time.Second)))}
	}
	if n.ours {
		said = append(said, n.because(ctx))
	}
	return said
}

// because says where the next instant comes from.
func (n next) because(ctx context.Context) string {
	p := n.view.Policy
	switch n.decide.Cause {
	case policy.ByRetryAfter:
		return byRetryAfter.In(ctx, lang.Duration(ctx, p.RetryAfter.Cap))
	case policy.ByMinimumWait:
		return byMinimumWait.In(ctx, lang.Duration(ctx, p.Schedule.MinimumWait))
	case policy.ByLostWorker:
		return byLostWorker.In(ctx)
	}
	attempt := n.last.Progress.CycleAttempt
	said := bySchedule.In(ctx, lang.Duration(ctx, p.Schedule.Wait(attempt)), attempt)
	if p.Schedule.Jitter.Kind != "" && p.Schedule.Jitter.Kind != policy.NoJitter {
		said += " " + withJitter.In(ctx)
	}
	return said
}

func (n next) dead(ctx context.Context) []string {
	var said []string
	if n.ours {
		said = append(said, n.whyDead(ctx))
	} else if n.view.Policy != nil && n.view.Delivery.DeadReason != string(delivery.EndpointDeleted) {
		said = append(said, notPolicysAdvice.In(ctx))
	}
	if n.view.replayable() {
		said = append(said, unlessReplayed.In(ctx))
	}
	return said
}

func (n next) whyDead(ctx context.Context) string {
	p := n.view.Policy
	switch n.decide.Cause {
	case policy.ByRule:
		return byRule.In(ctx)
	case policy.ByAttempts:
		return byAttempts.In(ctx, p.MostAttempts())
	case policy.ByAge:
		return byAge.In(ctx, lang.Duration(ctx, p.GiveUp.Age))
	case policy.ByTest:
		return byTest.In(ctx)
	default:
		return byAtMostOnce.In(ctx)
	}
}

// held says what keeps a due delivery from being sent.
func (n next) held(ctx context.Context) []string {
	e := n.view.Endpoint
	switch {
	case e == nil:
		return nil
	case e.Status == string(delivery.Paused):
		return []string{heldByPause.In(ctx)}
	case e.Status != string(delivery.Active):
		return []string{heldByDisabled.In(ctx)}
	case records.At(e.PausedUntil).After(n.now):
		return []string{heldByCircuit.In(ctx, e.ConsecutiveFailures, lang.Duration(ctx, e.PausedUntil.Sub(n.now).Round(time.Second)))}
	}
	return nil
}

// clause is the policy's clause that has it so, "" if none does.
func (n next) clause() string {
	if !n.ours {
		return ""
	}
	return map[policy.Cause]string{
		policy.BySuccess: "success", policy.BySchedule: "schedule", policy.ByRetryAfter: "retry_after.cap",
		policy.ByMinimumWait: "schedule.minimum_wait", policy.ByRule: "failures", policy.ByAttempts: "give_up.attempts",
		policy.ByAge: "give_up.age", policy.ByLostWorker: "lease", policy.ByAtMostOnce: "at_most_once",
	}[n.decide.Cause]
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// explanation says what happens next with a delivery, and by which rule. It
// decides nothing: the state and the next instant are the server's, and the
// policy's own code says where they come from.
type explanation struct {
	delivery deliveryView
	target   *endpointView  // nil: it was deleted, or there is none
	policy   *policy.Policy // nil: unknown
}

func (x explanation) sentence(now time.Time) string {
	switch state := delivery.State(x.delivery.State); state {
	case delivery.Pending:
		return strings.TrimSpace(x.pending(now) + " " + x.held(now))
	case delivery.Sending:
		return fmt.Sprintf("Attempt %d is being made right now.", x.delivery.AttemptCount)
	case delivery.Delivered, delivery.Dead:
		return x.ended()
	case delivery.Skipped:
		return x.skipped()
	case delivery.Superseded:
		return "Nothing more is sent: a newer event with the same coalesce key took its place."
	case delivery.Resolved:
		return "Nothing more is sent: somebody resolved it."
	case delivery.Discarded:
		return "Nothing more is sent: somebody discarded what was pending for its endpoint."
	default:
		return fmt.Sprintf("This version of malote does not know the state %q.", clean(string(state)))
	}
}

// pending explains when the next attempt is due.
func (x explanation) pending(now time.Time) string {
	next := now
	if x.delivery.NextAttemptAt != nil && x.delivery.NextAttemptAt.After(now) {
		next = now.Add(x.delivery.NextAttemptAt.Sub(now).Round(time.Second))
	}
	if last, decided, ours := x.life().Verdict(); ours {
		decided.NextAttemptAt = next
		return policy.Explain(x.policy, last.Progress, last.Outcome, now, decided)
	}
	if next.Equal(now) {
		return fmt.Sprintf("Attempt %d is due now.", x.delivery.AttemptCount+1)
	}
	return fmt.Sprintf("Attempt %d is due in %s.", x.delivery.AttemptCount+1, brief(next.Sub(now)))
}

// held says what keeps a due delivery from being sent.
func (x explanation) held(now time.Time) string {
	switch {
	case x.target == nil:
		return ""
	case x.target.Status == string(delivery.Paused):
		return "Its endpoint is paused, so it waits: malote endpoints resume sends it."
	case x.target.Status != string(delivery.Active):
		return "Its endpoint is disabled, so it waits: malote endpoints enable sends it."
	case x.target.PausedUntil != nil && x.target.PausedUntil.After(now):
		return fmt.Sprintf("Its endpoint failed %d times in a row and is left alone for another %s (circuit).",
			x.target.ConsecutiveFailures, brief(x.target.PausedUntil.Sub(now)))
	default:
		return ""
	}
}

// ended explains the last attempt's end.
func (x explanation) ended() string {
	reason := delivery.Reason(orAbsent(x.delivery.DeadReason))
	if last, decided, ours := x.life().Verdict(); ours {
		return policy.Explain(x.policy, last.Progress, last.Outcome, last.EndedAt, decided) + x.onwards()
	}
	if x.delivery.State == string(delivery.Delivered) {
		return "It is delivered." + x.onwards()
	}
	if reason == delivery.EndpointDeleted {
		return "It is dead: its endpoint was deleted."
	}
	return fmt.Sprintf("It is dead (%s), by what its policy and endpoint were at that time.", clean(string(reason))) + x.onwards()
}

// onwards says what a person can still do.
func (x explanation) onwards() string {
	if x.policy == nil || x.delivery.State != string(delivery.Dead) || !x.policy.Replayable(delivery.Dead) {
		return ""
	}
	return fmt.Sprintf(" Nothing more is sent, unless somebody replays it: malote replay %s", x.delivery.ID)
}

func (x explanation) skipped() string {
	switch delivery.Reason(orAbsent(x.delivery.SkipReason)) {
	case delivery.NoEndpoint:
		return "Nothing was sent: the tenant had no endpoint for it. Endpoints that are created later get nothing old."
	case delivery.TypeNotSubscribed:
		return "Nothing was sent: the endpoint does not subscribe to this type."
	case delivery.EndpointDisabled:
		return "Nothing was sent: the endpoint was disabled."
	case delivery.Filtered:
		return "Nothing was sent: the endpoint's filter is false for this event."
	default:
		return "Nothing was sent."
	}
}

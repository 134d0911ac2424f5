package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// strandedAfter is for how long a delivery may be due at an endpoint that has
// nothing in flight.
const strandedAfter = 5 * time.Second

// cause is why a delivery is in its state.
type cause string

// The causes of open deliveries. Closed ones have their delivery.Reason.
const (
	retried  cause = "waits for its next attempt"
	paused   cause = "its endpoint is paused"
	stopped  cause = "its endpoint is disabled"
	inLine   cause = "waits its turn"
	underway cause = "is being sent"
)

// explanation says why a delivery is in its state.
type explanation struct {
	cause cause
	text  string
}

// explain explains a delivery by what the API says of it and of its endpoint,
// or says which fault it is that it cannot.
func explain(d deliveryView, e endpointView, p *policy.Policy, now time.Time) (explanation, FaultKind) {
	switch d.State {
	case delivery.Pending:
		return explainPending(d, e, p, now)
	case delivery.Sending:
		return explanation{underway, fmt.Sprintf("sending: %s is under way", nth(d.AttemptCount, p))}, ""
	case delivery.Delivered:
		return explanation{text: fmt.Sprintf("delivered at attempt %d", d.AttemptCount)}, attempted(d)
	case delivery.Dead:
		kind := attempted(d)
		if d.DeadReason == delivery.EndpointDeleted {
			kind = ""
		}
		if d.DeadReason == "" {
			kind = Unexplained
		}
		return explanation{cause(d.DeadReason), fmt.Sprintf("dead: %s at attempt %d%s", d.DeadReason, d.AttemptCount, lastError(d))}, kind
	case delivery.Skipped:
		return explanation{cause(d.SkipReason), "skipped: " + string(d.SkipReason)}, explained(d.SkipReason != "")
	case delivery.Superseded:
		return explanation{cause(delivery.ReplacedByNewer), "superseded by " + d.SupersededBy}, explained(d.SupersededBy != "")
	case delivery.Resolved, delivery.Discarded:
		return explanation{cause(d.State), string(d.State) + " by somebody"}, ""
	default:
		return explanation{text: fmt.Sprintf("there is no state %q", d.State)}, Unexplained
	}
}

// explainUnmatched explains the record of an event that no endpoint takes.
func explainUnmatched(d deliveryView) (explanation, FaultKind) {
	reasons := []delivery.Reason{delivery.NoEndpoint, delivery.TypeNotSubscribed}
	return explanation{cause(d.SkipReason), "skipped: " + string(d.SkipReason)},
		explained(d.State == delivery.Skipped && slices.Contains(reasons, d.SkipReason))
}

func explained(so bool) FaultKind {
	if so {
		return ""
	}
	return Unexplained
}

func attempted(d deliveryView) FaultKind { return explained(d.AttemptCount > 0) }

func explainPending(d deliveryView, e endpointView, p *policy.Policy, now time.Time) (explanation, FaultKind) {
	next := nth(d.AttemptCount+1, p)
	if d.NextAttempt.After(now) && d.NextAttempt.After(e.PausedUntil) {
		next += " at " + clock(d.NextAttempt, now)
	}
	next += lastError(d)
	switch {
	case d.NextAttempt.IsZero():
		return explanation{text: "pending: it has no next attempt"}, Unexplained
	case !e.Status.Accepts():
		return explanation{stopped, fmt.Sprintf("pending: kept while the endpoint is %s; then %s", e.Status, next)}, ""
	case e.Status == delivery.Paused:
		return explanation{paused, "pending: the endpoint is paused by an operator; then " + next}, ""
	case e.PausedUntil.After(now):
		return explanation{paused, fmt.Sprintf("pending: the endpoint is paused until %s after %d failures in a row; then %s",
			clock(e.PausedUntil, now), e.ConsecutiveFailures, next)}, ""
	case d.NextAttempt.After(now):
		return explanation{retried, "pending: " + next}, ""
	}
	due := d.NextAttempt
	if e.PausedUntil.After(due) {
		due = e.PausedUntil
	}
	waited := now.Sub(due).Round(time.Second)
	if e.InFlight == 0 && waited > strandedAfter {
		return explanation{inLine, fmt.Sprintf("pending: %s was due %s ago, and nothing is in flight", nth(d.AttemptCount+1, p), waited)}, Stranded
	}
	return explanation{inLine, fmt.Sprintf("pending: %s waits its turn, %d ahead of it in flight%s", nth(d.AttemptCount+1, p), e.InFlight, lastError(d))}, ""
}

// nth is "attempt 3 of 10"; policies without a last attempt have no "of".
func nth(attempt int, p *policy.Policy) string {
	if most := p.MostAttempts(); most > 0 {
		return fmt.Sprintf("attempt %d of %d", attempt, most)
	}
	return fmt.Sprintf("attempt %d", attempt)
}

func lastError(d deliveryView) string {
	switch {
	case d.LastError == "":
		return ""
	case d.LastStatus != 0:
		return fmt.Sprintf(", last error %s %d", d.LastError, d.LastStatus)
	default:
		return ", last error " + d.LastError
	}
}

// clock shows an instant as people read it off a clock, with the date if it is
// not about now.
func clock(at, now time.Time) string {
	if at.Sub(now).Abs() > 12*time.Hour {
		return at.Local().Format("2006-01-02 15:04:05")
	}
	return at.Local().Format("15:04:05")
}

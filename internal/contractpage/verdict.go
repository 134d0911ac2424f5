package contractpage

import (
	"cmp"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// verdict is what follows from an outcome of a delivery's first attempt.
// Outcomes with the same verdict stand in the same row.
type verdict struct {
	state    delivery.State  // Delivered, Pending: tried again, or Dead
	reason   delivery.Reason // Dead
	cause    policy.Cause    // Dead: whether it is the outcome's doing or that of the only attempt
	disables bool
	slows    bool
	pause    time.Duration // the longest that Retry-After can ask for; 0: it is ignored
}

// ask has the engine judge an outcome.
func ask(p *policy.Policy, outcome delivery.Outcome) verdict {
	d := judge(p, outcome)
	v := verdict{state: d.State, disables: d.DisableEndpoint, slows: d.SlowDown}
	switch {
	case d.State == delivery.Dead:
		v.reason, v.cause = d.Reason, d.Cause
	case d.State == delivery.Pending && outcome.Error == "":
		v.pause = longestPause(p, outcome)
	}
	return v
}

var start = time.Unix(0, 0).UTC()

func judge(p *policy.Policy, outcome delivery.Outcome) policy.Decision {
	outcome.StartedAt = start
	progress := policy.Progress{CycleAttempt: 1, CycleStartedAt: start, ScheduledAt: start}
	return policy.Decide(p, progress, outcome, start, func() float64 { return 0 })
}

// longestPause asks for a pause beyond every cap, where nothing else could delay
// or end the delivery.
func longestPause(p *policy.Policy, outcome delivery.Outcome) time.Duration {
	eager := *p
	eager.Schedule = policy.Backoff{Kind: policy.Table, Waits: []time.Duration{0}, Repeat: true}
	eager.GiveUp = policy.GiveUp{}
	outcome.RetryAfter = "999999999"
	d := judge(&eager, outcome)
	if d.Cause != policy.ByRetryAfter {
		return 0
	}
	return d.NextAttemptAt.Sub(start)
}

// before is the order of rows: from the best to the worst, and then to what is
// tried again.
func (v verdict) before(other verdict) int {
	return cmp.Or(cmp.Compare(v.rank(), other.rank()), -cmp.Compare(v.pause, other.pause), cmp.Compare(v.reason, other.reason))
}

func (v verdict) rank() int {
	switch {
	case v.state == delivery.Delivered:
		return 0
	case v.state == delivery.Dead && v.disables:
		return 1
	case v.state == delivery.Dead:
		return 2
	case v.disables:
		return 3
	case v.slows:
		return 4
	default:
		return 5
	}
}

// failures are errors of the same verdict.
type failures struct {
	verdict verdict
	codes   []delivery.ErrorCode
}

// failuresOf judges every way in which an attempt gets no complete answer. An
// interrupted one is not there: it is no failure of the receiver's. Neither are
// those of mail, which has no receiver of webhooks.
func failuresOf(p *policy.Policy) []failures {
	var rows []failures
	for _, code := range delivery.ErrorCodes {
		if code.OfMail() {
			continue
		}
		outcome := delivery.Outcome{Error: code}
		switch code {
		case delivery.HTTPStatus, delivery.InterruptedSend:
			continue
		case delivery.ResponseTruncated: // of a success: a failure's status counts whatever its body does
			if p.Response.ReadLimit == 0 {
				continue
			}
			outcome.Status = successStatus(p)
		}
		rows = addFailure(rows, ask(p, outcome), code)
	}
	return sorted(rows, func(row failures) verdict { return row.verdict })
}

func addFailure(rows []failures, v verdict, code delivery.ErrorCode) []failures {
	for i := range rows {
		if rows[i].verdict == v {
			rows[i].codes = append(rows[i].codes, code)
			return rows
		}
	}
	return append(rows, failures{v, []delivery.ErrorCode{code}})
}

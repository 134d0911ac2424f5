package policy

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

var accepted = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fataler is what testing.TB and rapid.T have in common.
type fataler interface {
	require.TestingT
	Helper()
}

func preset(t fataler, name string) *Policy {
	t.Helper()
	p, known := Preset(name)
	require.True(t, known, name)
	return p
}

func answer(status int) delivery.Outcome {
	return delivery.Outcome{Status: status, StartedAt: accepted}
}

func failedWith(code delivery.ErrorCode) delivery.Outcome {
	return delivery.Outcome{Error: code, StartedAt: accepted}
}

func askedToWait(status int, retryAfter string) delivery.Outcome {
	o := answer(status)
	o.RetryAfter = retryAfter
	return o
}

func always(u float64) Random { return func() float64 { return u } }

// first decides about a delivery's first attempt, made when it was accepted.
func first(p *Policy, outcome delivery.Outcome, random Random) Decision {
	return Decide(p, Progress{CycleAttempt: 1, CycleStartedAt: accepted, ScheduledAt: accepted}, outcome, accepted, random)
}

// life is what became of a delivery.
type life struct {
	attempts []time.Time // when each began
	waits    []time.Duration
	last     Decision
}

// live lets every attempt begin when it is due, take so long and come to what
// outcome says, until the delivery is closed.
func live(t fataler, p *Policy, took time.Duration, random Random, outcome func(attempt int) delivery.Outcome) life {
	t.Helper()
	var l life
	due := p.FirstAttemptAt(accepted)
	for attempt := 1; ; attempt++ {
		require.LessOrEqual(t, attempt, 2000, "it never ends")
		l.attempts = append(l.attempts, due)
		progress := Progress{CycleAttempt: attempt, CycleStartedAt: accepted, ScheduledAt: due}
		if attempt > 1 {
			progress.FirstAttemptAt = l.attempts[0]
		}
		o := outcome(attempt)
		o.StartedAt = due
		now := due.Add(took)
		l.last = Decide(p, progress, o, now, random)
		if l.last.State != delivery.Pending {
			return l
		}
		l.waits = append(l.waits, l.last.NextAttemptAt.Sub(now))
		due = l.last.NextAttemptAt
	}
}

func failing(int) delivery.Outcome { return answer(500) }

// everyError lists the errors of an attempt that got no answer.
func everyError() []delivery.ErrorCode {
	var codes []delivery.ErrorCode
	for _, code := range delivery.ErrorCodes {
		if code != delivery.HTTPStatus && code != delivery.InterruptedSend {
			codes = append(codes, code)
		}
	}
	return codes
}

func statuses(from, to int) []int {
	var list []int
	for status := from; status <= to; status++ {
		list = append(list, status)
	}
	return list
}

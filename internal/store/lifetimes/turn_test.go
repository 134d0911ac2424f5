package lifetimes

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/redelivery"
)

// atOnce is how many deliveries a process has in flight at most (F05).
const atOnce = 64

// answer is how a receiver behaves.
type answer func(*delivery.Claim) delivery.Outcome

// status answers at once.
func status(code int) answer { return statusAfter(code, 0) }

func statusAfter(code int, took time.Duration) answer {
	return func(*delivery.Claim) delivery.Outcome { return delivery.Outcome{Status: code, Duration: took} }
}

func askingFor(code int, retryAfter string) answer {
	return func(*delivery.Claim) delivery.Outcome { return delivery.Outcome{Status: code, RetryAfter: retryAfter} }
}

func failing(code delivery.ErrorCode) answer {
	return func(*delivery.Claim) delivery.Outcome { return delivery.Outcome{Error: code} }
}

// inTurn gives one answer after another, and begins again.
func inTurn(answers ...answer) answer {
	n := 0
	return func(c *delivery.Claim) delivery.Outcome {
		n++
		return answers[(n-1)%len(answers)](c)
	}
}

// arrival is one request as its receiver sees it.
type arrival struct {
	after    time.Duration // since the chapter's beginning
	event    delivery.ID
	body     string
	url      string
	endpoint delivery.ID
	attempt  int
	trigger  delivery.Trigger
}

// next is the process whose turn it is.
func (l *life) next() *store.Store {
	l.turns++
	return l.processes[l.turns%len(l.processes)]
}

func (l *life) claim(process *store.Store) delivery.Claimed {
	l.Helper()
	claimed, err := process.Claim(l.Context(), atOnce)
	require.NoError(l, err)
	return claimed
}

// claimTogether lets both processes claim at the same time, and again.
func (l *life) claimTogether() []*delivery.Claim {
	l.Helper()
	var mu sync.Mutex
	var claims []*delivery.Claim
	var group errgroup.Group
	for _, process := range l.processes {
		group.Go(func() error {
			for range 2 {
				claimed, err := process.Claim(l.Context(), atOnce)
				if err != nil {
					return err
				}
				mu.Lock()
				claims = append(claims, claimed.Claims...)
				mu.Unlock()
			}
			return nil
		})
	}
	require.NoError(l, group.Wait())
	return claims
}

// send is one request: the receiver sees it, unless its answer is one that
// comes before any request.
func (l *life) send(claim *delivery.Claim, as answer) delivery.Outcome {
	outcome := as(claim)
	outcome.StartedAt = l.clock.Now()
	if outcome.Status != 0 || outcome.Error == delivery.Timeout || outcome.Error == delivery.Reset {
		l.received = append(l.received, arrival{
			after: outcome.StartedAt.Sub(l.begin), event: claim.Event.ID, body: string(claim.Event.Body),
			url: claim.Endpoint.URL, endpoint: claim.Endpoint.ID, attempt: claim.Attempt, trigger: claim.Trigger,
		})
	}
	return outcome
}

// completion is what the dispatcher makes of an outcome.
func (l *life) completion(claim *delivery.Claim, outcome delivery.Outcome) policy.Completion {
	now := outcome.StartedAt.Add(outcome.Duration)
	return policy.Completion{
		Kind: policy.Sent, Claim: claim, Outcome: outcome, CompletedAt: now, Circuit: &l.contract.Circuit,
		Decision: policy.Decide(l.contract, progressOf(claim), outcome, now, l.random).Bounded(claim, outcome),
	}
}

func progressOf(claim *delivery.Claim) policy.Progress {
	return policy.Progress{
		CycleAttempt: claim.CycleAttempt, CycleStartedAt: claim.CycleStartedAt,
		FirstAttemptAt: claim.FirstAttemptAt, ScheduledAt: claim.ScheduledAt,
	}
}

// outcomes sends what was claimed and says what is to be recorded.
func (l *life) outcomes(claims []*delivery.Claim, as answer) []policy.Completion {
	completions := make([]policy.Completion, len(claims))
	for i, claim := range claims {
		completions[i] = l.completion(claim, l.send(claim, as))
	}
	return completions
}

// finish sends what was claimed and records what came of it, once all of it is
// there.
func (l *life) finish(process *store.Store, claims []*delivery.Claim, as answer) policy.Completed {
	l.Helper()
	completions := l.outcomes(claims, as)
	var longest time.Duration
	for _, done := range completions {
		longest = max(longest, done.Outcome.Duration)
	}
	if longest > 0 {
		l.clock.Advance(l, longest)
	}
	return l.record(process, completions)
}

func (l *life) record(process *store.Store, completions []policy.Completion) policy.Completed {
	l.Helper()
	result, err := process.Complete(l.Context(), completions)
	require.NoError(l, err)
	return result
}

// turn is one process's: it claims, the receivers answer, it records.
func (l *life) turn(as answer) []*delivery.Claim {
	l.Helper()
	process := l.next()
	claims := l.claim(process).Claims
	if len(claims) > 0 {
		l.finish(process, claims, as)
	}
	return claims
}

// rescue gives up what lost workers left behind, as the maintenance does.
func (l *life) rescue() (rescued int) {
	l.Helper()
	process := l.next()
	claims, now, err := process.ExpiredLeases(l.Context(), 1000)
	require.NoError(l, err)
	completions := make([]policy.Completion, len(claims))
	for i, claim := range claims {
		outcome := delivery.Outcome{Error: delivery.InterruptedSend, StartedAt: claim.Token.Time()}
		completions[i] = policy.Completion{
			Kind: policy.Expired, Claim: claim, Outcome: outcome, CompletedAt: now,
			Decision: policy.Decide(l.contract, progressOf(claim), outcome, now, l.random).Bounded(claim, outcome),
		}
	}
	if len(completions) == 0 {
		return 0
	}
	return len(completions) - l.record(process, completions).Lost
}

// sweep is the maintenance's. Nothing may ever be stranded while nobody dies
// between a commit and a wake-up (I4).
func (l *life) sweep() {
	l.Helper()
	stranded, err := l.next().Sweep(l.Context())
	require.NoError(l, err)
	require.Zero(l, stranded, "stranded lanes at %s", l.clock.Now())
}

// liveUntil lets both processes work until some time of the chapter, whenever
// something is due or a lease ends.
func (l *life) liveUntil(after time.Duration, as answer) {
	l.Helper()
	defer l.sweep()
	for end, idle := l.begin.Add(after), 1; ; idle++ {
		require.Less(l, idle, 10_000, "something is due, and nobody gets it")
		process := l.next()
		claimed := l.claim(process)
		if len(claimed.Claims) > 0 {
			l.finish(process, claimed.Claims, as)
			continue
		}
		next := l.leaseEnds().Add(time.Microsecond)
		if !next.After(l.clock.Now()) {
			require.NotZero(l, l.rescue())
			continue
		}
		if idle%16 == 0 {
			l.sweep()
		}
		if claimed.NextDue != delivery.NothingDue {
			// It comes as seconds in floating point, exact to the microsecond.
			due := l.clock.Now().Add(claimed.NextDue.Round(time.Microsecond))
			if due.Before(next) {
				next = due
			}
		}
		if next.After(end) {
			l.clock.Set(l, later(end, l.clock.Now())) // an answer may have taken longer
			return
		}
		l.clock.Set(l, later(next, l.clock.Now()))
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// leaseEnds is the next time at which a worker counts as lost: far away if
// nothing is under way.
func (l *life) leaseEnds() (at time.Time) {
	l.Helper()
	at = start.AddDate(100, 0, 0)
	l.each(`SELECT q.lease_until FROM malote.queue q WHERE q.status = 'sending' ORDER BY q.lease_until LIMIT 1`,
		func(rows pgx.Rows) error { return rows.Scan(&at) })
	return at
}

// live is liveUntil some time from now.
func (l *life) live(period time.Duration, as answer) {
	l.Helper()
	l.liveUntil(l.clock.Now().Add(period).Sub(l.begin), as)
}

// replay puts deliveries back, as the API does on somebody's behalf.
func (l *life) replay(ids ...delivery.ID) redelivery.Replay {
	l.Helper()
	result, err := l.redelivery.Replay(l.Context(), redelivery.Request{
		IDs: ids, Tenant: tenant, Trigger: delivery.TriggerReplay,
		Allowed: func(_ string, state delivery.State) bool { return l.contract.Replayable(state) },
	})
	require.NoError(l, err)
	_, err = l.next().WakeLanes(l.Context(), result.Lanes)
	require.NoError(l, err)
	return result
}

// sent is when requests with an event arrived, after some time of the chapter.
func (l *life) sent(event delivery.ID, from time.Duration) (times []time.Duration) {
	for _, a := range l.received {
		if a.event == event && a.after >= from {
			times = append(times, a.after-from)
		}
	}
	return times
}

// times reads a timetable such as "0:00:30 71:42:30".
func times(table string) (list []time.Duration) {
	for _, entry := range strings.Fields(table) {
		var hours, minutes, seconds int
		if _, err := fmt.Sscanf(entry, "%d:%d:%d", &hours, &minutes, &seconds); err != nil {
			panic(err)
		}
		list = append(list, time.Duration(hours)*time.Hour+time.Duration(minutes)*time.Minute+time.Duration(seconds)*time.Second)
	}
	return list
}

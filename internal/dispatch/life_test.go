package dispatch

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// troubled draws a dispatcher's whole life: lanes, answers, a database that
// fails now and then, and a stop at any moment.
type troubled struct {
	slots, completers int
	lanes             []int // limits
	each              int   // deliveries per lane
	answers           []time.Duration
	statuses          []int
	badClaims         []bool
	badCommits        []bool
	badReads          []bool // of what completions claimed
	stopAfter         time.Duration
}

func drawTroubled(t *rapid.T) troubled {
	ms := func(label string) []time.Duration {
		var list []time.Duration
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 10).Draw(t, label) {
			list = append(list, time.Duration(n)*time.Millisecond)
		}
		return list
	}
	return troubled{
		slots: rapid.IntRange(1, 20).Draw(t, "slots"), completers: rapid.IntRange(1, 3).Draw(t, "completers"),
		lanes: rapid.SliceOfN(rapid.IntRange(1, 5), 1, 8).Draw(t, "limits"), each: rapid.IntRange(1, 10).Draw(t, "each"),
		answers:    ms("answers"),
		statuses:   rapid.SliceOfN(rapid.SampledFrom([]int{204, 204, 410, 500}), 1, 10).Draw(t, "statuses"),
		badClaims:  rapid.SliceOfN(rapid.Bool(), 1, 10).Draw(t, "claims fail"),
		badCommits: rapid.SliceOfN(rapid.Bool(), 1, 10).Draw(t, "commits fail"),
		badReads:   rapid.SliceOfN(rapid.Bool(), 1, 10).Draw(t, "reads fail"),
		stopAfter:  time.Duration(rapid.IntRange(0, 20_000).Draw(t, "stop")) * time.Millisecond,
	}
}

// faults gives its list's elements one after another, and then false. Every
// other is false, or nothing might ever work.
func faults(list []bool) func() error {
	n := 0
	return func() error {
		n++
		if n%2 == 1 && n/2 < len(list) && list[n/2] {
			return errAway
		}
		return nil
	}
}

// live plays it and says what went wrong.
func (x troubled) live(t *testing.T) (wrong string) {
	sender := &sending{}
	n := 0
	sender.answer = func(ctx context.Context, _ *delivery.Claim) delivery.Outcome {
		sender.mu.Lock()
		n++
		took, status := x.answers[n%len(x.answers)], x.statuses[n%len(x.statuses)]
		sender.mu.Unlock()
		if !pause(ctx, took) {
			return delivery.Outcome{Error: delivery.InterruptedSend}
		}
		return delivery.Outcome{Status: status, Duration: took}
	}
	r := newRig(sender, func(o *Options) { o.MaxInFlight, o.Completers = x.slots, x.completers })
	for _, limit := range x.lanes {
		r.memory.lane(limit, x.each)
	}
	badCommit := faults(x.badCommits)
	r.memory.onClaim, r.memory.onComplete = faults(x.badClaims), func([]policy.Completion) error { return badCommit() }
	r.memory.onNext = faults(x.badReads)
	ctx, cancel := context.WithTimeout(t.Context(), x.stopAfter)
	defer cancel()
	r.Run(ctx)
	synctest.Wait()

	ended := 0
	for _, done := range r.memory.completed {
		if done.Kind == policy.Sent {
			ended++
		}
	}
	switch {
	case len(r.slots) != 0:
		return fmt.Sprintf("%d slots were not given back", len(r.slots))
	case sender.most > x.slots:
		return fmt.Sprintf("%d in flight with %d slots", sender.most, x.slots)
	case len(sender.ids) != ended:
		return fmt.Sprintf("%d attempts, %d recorded", len(sender.ids), ended)
	case r.memory.states()[delivery.Sending] != 0:
		return "something was left behind"
	case r.observer.inProgress != 0 || r.observer.started != len(sender.ids):
		return "attempts were not counted"
	}
	for _, l := range r.memory.lanes {
		if l.inFlight != 0 || l.most > l.limit {
			return fmt.Sprintf("a lane of %d had %d in flight, and %d in the end", l.limit, l.most, l.inFlight)
		}
	}
	return ""
}

// Every claim ends once, every attempt is recorded, every slot comes back,
// whatever the database and the endpoints do and whenever the stop comes.
func TestDispatcher_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x := drawTroubled(rt)
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = x.live(t) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

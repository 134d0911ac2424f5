package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// attempts are those under way. Both the claiming goroutine and the completers
// begin some, until it is finished.
type attempts struct {
	ctx context.Context // of all of them; set before the first

	mu      sync.Mutex // held to begin one, so that none begins once it is finished
	over    bool
	running sync.WaitGroup
}

// begin says whether it began.
func (a *attempts) begin(attempt func(context.Context)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return false
	}
	a.running.Go(func() { attempt(a.ctx) })
	return true
}

// finish lets none begin any more, and waits for the others.
func (a *attempts) finish() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	a.running.Wait()
}

// begin begins an attempt for each claim, which has a slot each, and returns those
// for which it is too late.
func (d *Dispatcher) begin(claims []*delivery.Claim) (late []*delivery.Claim) {
	for _, claim := range claims {
		d.quota.begin(claim)
		begun := d.sending.begin(func(ctx context.Context) {
			defer d.giveSlots(1)
			defer d.quota.end(claim)
			d.attempt(ctx, claim)
		})
		if !begun {
			d.quota.end(claim)
			late = append(late, claim)
		}
	}
	return late
}

// reserve takes slots for what a completion of so many attempts may claim in its
// own transaction (docs/decisions/0016). While claims leave slots free and nothing
// due, whoever claims takes nothing from others; else lanes stand in line.
func (d *Dispatcher) reserve(most int) policy.Onward {
	if !d.handover.isOpen() {
		return policy.Onward{}
	}
	onward := policy.Onward{Slots: d.freeSlots(most)}
	if onward.Slots > 0 {
		onward.Except = d.quota.room().Hanging
	}
	return onward
}

// goOn begins what a completion has claimed, gives back the slots that it did not
// need, and returns what cannot be sent: it must be completed as unsent.
func (d *Dispatcher) goOn(onward policy.Onward, next delivery.Claimed, err error, took time.Duration) []policy.Completion {
	d.giveSlots(onward.Slots - len(next.Claims))
	d.wake(next.Untaken)
	if len(next.Lanes) == 0 {
		return nil
	}
	d.options.Observer.Claimed(len(next.Claims), len(next.Lanes), took, err)
	d.handover.saw(next, nil, time.Now().Add(-took))
	late := next.Claims
	if err == nil {
		late = d.begin(next.Claims)
	}
	d.giveSlots(len(late))
	var unsent []policy.Completion
	for _, claim := range late {
		unsent = append(unsent, unsentNow(claim))
	}
	return unsent
}

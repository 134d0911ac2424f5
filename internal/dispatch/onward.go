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
	ctx   context.Context // of all of them; set before the first
	until context.Context // when it ends, completions claim nothing any more

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

// reserve takes slots for what a completion may claim in its own transaction
// (docs/decisions/0016): as many as it frees of lanes that are full. While claims
// leave slots free and nothing due, whoever claims takes nothing from others; else
// lanes stand in line.
//
// The last slot is left, or new work would be handed over to nobody.
func (d *Dispatcher) reserve(batch []policy.Completion) policy.Onward {
	if d.sending.until.Err() != nil {
		return policy.Onward{}
	}
	onward := policy.Onward{Slots: d.freeSlots(d.handover.ofFullLanes(batch))}
	if onward.Slots > 0 && len(d.slots) == cap(d.slots) {
		d.giveSlots(1)
		onward.Slots--
	}
	if onward.Slots > 0 {
		onward.Except = d.quota.room().Hanging
	}
	return onward
}

// goOn begins what a completion that began then has claimed, gives back the slots
// that it did not need, and returns what cannot be sent: it must be completed as unsent.
func (d *Dispatcher) goOn(onward policy.Onward, next delivery.Claimed, err error, began time.Time) []policy.Completion {
	d.giveSlots(onward.Slots - len(next.Claims))
	d.wake(next.Untaken)
	if len(next.Lanes) == 0 {
		return nil
	}
	d.handover.saw(next, nil, began)
	late := next.Claims
	if err != nil {
		d.log.Warn("what completions claimed cannot be read; it is handed back", "error", err, "claims", len(late))
	}
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

package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// claimTimeout bounds one claim. It is not cut short by a stop: a claim that was
// committed must be known to whoever made it.
const claimTimeout = 10 * time.Second

// claimUntil claims whenever something may be due and a slot is free, and begins
// an attempt for each claim, until ctx ends.
//
// With one claim under way at a time, the slots that come free meanwhile are the
// next one's, so that claims grow with the load. Only where the last claim left
// something due for want of slots, the next waits a little until it is worth it.
func (d *Dispatcher) claimUntil(ctx context.Context) {
	pace := newPace(d.options.PollInterval)
	worth := 1
	defer func() { d.wake(d.handover.close()) }()
	for {
		free := d.takeSlots(ctx, worth)
		if free == 0 {
			return
		}
		began := time.Now()
		d.unsignal()
		handed := d.handover.take()
		claimed, err := d.claimFor(free, handed)
		d.giveSlots(free - len(claimed.Claims))
		d.handover.saw(claimed, handed, began)
		d.handOver(claimed, free, err)
		if ctx.Err() != nil {
			d.handBack(claimed.Claims)
		} else {
			d.handBack(d.begin(claimed.Claims))
		}
		var wait time.Duration
		worth = 1
		if err == nil {
			wait = pace.after(claimed, free)
			if len(claimed.Claims) == free {
				worth = max(1, d.options.MaxInFlight/4)
			}
		} else {
			wait = pace.afterError()
			d.log.Warn("claiming failed; trying again", "error", err, "pause", wait)
		}
		if !d.wait(ctx, wait, err == nil) {
			return
		}
		if d.handover.hasLanes() && !pause(ctx, betweenClaims-time.Since(began)) {
			return
		}
	}
}

// unsignal forgets a signal: whatever it was about, is seen by the look that follows.
func (d *Dispatcher) unsignal() {
	select {
	case <-d.signal:
	default:
	}
}

// handOver opens the handover if the claim left slots free and nothing due, and
// sees to the lanes that it was handed in vain.
func (d *Dispatcher) handOver(claimed delivery.Claimed, asked int, err error) {
	if err == nil && len(claimed.Claims) < asked && !claimed.More {
		d.handover.reopen()
		d.handAgain(claimed.Untaken)
		return
	}
	d.wake(claimed.Untaken)
	d.wake(d.handover.close())
}

// handAgain hands lanes over once more, which a completion may only just have held;
// what was in vain twice is woken.
func (d *Dispatcher) handAgain(lanes []delivery.LaneRef) {
	var first, twice []delivery.LaneRef
	for _, lane := range lanes {
		if slices.Contains(d.handedAgain, lane) {
			twice = append(twice, lane)
		} else {
			first = append(first, lane)
		}
	}
	d.handedAgain = first
	d.wake(twice)
	if len(first) > 0 && !d.Hand(first) {
		d.wake(first)
	}
}

// wake lets lanes be woken in the database.
func (d *Dispatcher) wake(lanes []delivery.LaneRef) {
	if len(lanes) > 0 && d.options.Wake != nil {
		d.options.Wake(lanes)
	}
}

// Hand says whether the dispatcher looks at lanes that have new work itself; else
// they must be woken in the database. It never blocks.
func (d *Dispatcher) Hand(lanes []delivery.LaneRef) bool {
	return d.options.Wake != nil && d.handover.offer(lanes)
}

// betweenClaims is how long after the last a claim of lanes that were handed over
// begins at least: so that under load one commit's events find those of others.
const betweenClaims = 3 * time.Millisecond

// companyForClaims bounds how long a claim waits to be worth it.
const companyForClaims = 5 * time.Millisecond

// takeSlots waits for one free slot, then a little for so many as are worth a
// claim, and takes all that are free; none once ctx has ended.
func (d *Dispatcher) takeSlots(ctx context.Context, worth int) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case d.slots <- struct{}{}:
	}
	if ctx.Err() != nil { // both were possible
		d.giveSlots(1)
		return 0
	}
	n = 1 + d.freeSlots(cap(d.slots))
	if n >= worth {
		return n
	}
	wait := time.NewTimer(companyForClaims)
	defer wait.Stop()
	for n < worth {
		select {
		case d.slots <- struct{}{}:
			n++
		case <-wait.C:
			return n
		case <-ctx.Done():
			return n
		}
	}
	return n + d.freeSlots(cap(d.slots))
}

// freeSlots takes those that are free now, up to a number.
func (d *Dispatcher) freeSlots(most int) (n int) {
	for n < most {
		select {
		case d.slots <- struct{}{}:
			n++
		default:
			return n
		}
	}
	return n
}

func (d *Dispatcher) giveSlots(n int) {
	for range n {
		<-d.slots
	}
}

// claimFor claims for n free slots, of endpoints that are not trusted only so much
// as they may still hold. What it returns may be sent, also beside an error.
func (d *Dispatcher) claimFor(n int, handed []delivery.LaneRef) (delivery.Claimed, error) {
	d.short.Store(true) // before the look: an attempt that ends after it must signal
	room := d.quota.room()
	claimed, err := d.claim(n, room, handed)
	// Suspects that are due and have no room are not waited for: the end of an
	// attempt signals.
	left := room.TakeAll(claimed.Claims)
	if isOpen := left.For(delivery.Slow, 1) > 0; err != nil || isOpen || room.For(delivery.Slow, n) == n {
		d.short.Store(false)
	}
	return claimed, err
}

func (d *Dispatcher) claim(n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error) {
	ctx, cancel := context.WithTimeout(context.Background(), claimTimeout)
	defer cancel()
	started := time.Now()
	claimed, err := d.options.Storage.ClaimHanded(ctx, n, room, handed)
	d.options.Observer.Claimed(len(claimed.Claims), len(claimed.Lanes), time.Since(started), err)
	if err != nil {
		d.unsent(claimed.Claims...) // committed, but incomplete
		claimed.Claims = nil
	}
	return claimed, err
}

// wait returns after the pause or, if allowed, a signal; false when ctx ended.
// A signal that came while nobody waited is still there.
func (d *Dispatcher) wait(ctx context.Context, pause time.Duration, wakeable bool) bool {
	if pause <= 0 {
		return ctx.Err() == nil
	}
	signal := d.signal
	if !wakeable {
		signal = nil
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-signal:
	case <-timer.C:
	}
	return true
}

// handBack returns claims that were never sent, and their slots.
func (d *Dispatcher) handBack(claims []*delivery.Claim) {
	d.unsent(claims...)
	d.giveSlots(len(claims))
}

// unsent ends claims as if they had never been made.
func (d *Dispatcher) unsent(claims ...*delivery.Claim) {
	for _, claim := range claims {
		d.pool.add(unsentNow(claim))
	}
}

func unsentNow(claim *delivery.Claim) policy.Completion {
	return policy.Completion{Kind: policy.Unsent, Claim: claim, CompletedAt: claim.DatabaseTime(time.Now())}
}

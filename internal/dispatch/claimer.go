package dispatch

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// claimTimeout bounds one claim. It is not cut short by a stop: a claim that was
// committed must be known to whoever made it.
const claimTimeout = 10 * time.Second

// Bounds of the pause after a claim that failed.
const (
	minErrorPause = 50 * time.Millisecond
	maxErrorPause = 5 * time.Second
)

// claimUntil claims whenever something may be due and a slot is free, and starts
// an attempt for each claim, until ctx ends.
func (d *Dispatcher) claimUntil(ctx context.Context, start func(*delivery.Claim)) {
	errorPause := minErrorPause
	for {
		free := d.takeSlots(ctx)
		if free == 0 {
			return
		}
		claimed, err := d.claim(free)
		d.giveSlots(free - len(claimed.Claims))
		if ctx.Err() != nil {
			d.handBack(claimed.Claims)
			return
		}
		for _, claim := range claimed.Claims {
			start(claim)
		}
		pause := d.pauseAfter(claimed, free)
		if err != nil {
			d.log.Warn("claiming failed; trying again", "error", err, "pause", errorPause)
			pause, errorPause = errorPause, min(2*errorPause, maxErrorPause)
		} else {
			errorPause = minErrorPause
		}
		if !d.wait(ctx, pause, err == nil) {
			return
		}
	}
}

// takeSlots waits for one free slot and then takes all that are free.
func (d *Dispatcher) takeSlots(ctx context.Context) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case d.slots <- struct{}{}:
	}
	for n = 1; ; n++ {
		select {
		case d.slots <- struct{}{}:
		default:
			return n
		}
	}
}

func (d *Dispatcher) giveSlots(n int) {
	for range n {
		<-d.slots
	}
}

func (d *Dispatcher) claim(n int) (delivery.Claimed, error) {
	ctx, cancel := context.WithTimeout(context.Background(), claimTimeout)
	defer cancel()
	started := time.Now()
	claimed, err := d.options.Storage.Claim(ctx, n)
	d.options.Observer.Claimed(len(claimed.Claims), claimed.Lanes, time.Since(started), err)
	return claimed, err
}

// pauseAfter says how long to wait for a signal after a claim.
func (d *Dispatcher) pauseAfter(claimed delivery.Claimed, asked int) time.Duration {
	switch {
	case len(claimed.Claims) == asked, claimed.Lanes == asked:
		return 0 // there may be more
	case claimed.NextDue == delivery.NothingDue:
		return d.options.PollInterval
	default:
		return min(claimed.NextDue, d.options.PollInterval)
	}
}

// wait returns after the pause or, if allowed, a signal; false when ctx ended.
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

// handBack returns claims that were never sent.
func (d *Dispatcher) handBack(claims []*delivery.Claim) {
	for _, claim := range claims {
		d.pool.add(policy.Completion{Kind: policy.Unsent, Claim: claim, CompletedAt: claim.DatabaseTime(time.Now())})
		<-d.slots
	}
}

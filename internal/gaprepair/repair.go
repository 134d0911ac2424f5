package gaprepair

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	// repairsAtOnce bounds the Repairs of a process: each may hold an answer of
	// maxAnswer, and lasts as long as the provider likes.
	repairsAtOnce = 2
	// repairPages bounds one of them, which no turn ends.
	repairPages = 1000
)

// Earliest is the time since which a source's gaps can be repaired at all.
func (r *Runner) Earliest(source Source) time.Time {
	reach := time.Duration(0)
	if p, known := providers[source.Provider]; known {
		reach = p.reach()
	}
	return r.options.Now().Add(-reach)
}

// Repair compares what happened at a source from since to until (zero: as far as
// it can be missed yet) at once, and brings in what is missing; dryRun only counts
// it. Deliveries of GitHub's are asked for whatever was asked before, and come to
// the door soon after. It keeps no position, beside passes or without them; what
// it was not told to look at is up to them.
//
// Two go on at once in a process, of two sources, and each reads a thousand pages
// at most: beyond that, passes have to do it.
//
// The errors are *SettingError, ErrEmptySpan, *TooFarBackError, *BusyError,
// ErrTooMuch, *APIError, the database's or the context's. The report counts what was done until then, and
// the same call may be made again: nothing is brought in twice.
func (r *Runner) Repair(ctx context.Context, source Source, since, until time.Time, dryRun bool) (Report, error) {
	if err := source.Check(); err != nil {
		return Report{}, err
	}
	if earliest := r.Earliest(source); since.Before(earliest) {
		return Report{}, &TooFarBackError{Earliest: earliest}
	}
	if !until.IsZero() && !until.After(since) {
		return Report{}, ErrEmptySpan
	}
	if err := r.beginRepair(source.ID); err != nil {
		return Report{}, err
	}
	defer r.endRepair(source.ID)
	t := r.newTurn(&source)
	t.span = &span{until: until, dryRun: dryRun}
	t.state.Pass = &pass{From: since}
	for {
		done, err := t.page(ctx)
		if err == nil && !done && t.state.Pass.Pages >= repairPages {
			err = ErrTooMuch
		}
		if err == nil && !done && t.caller.pause > 0 {
			err = &APIError{Provider: source.Provider, Reason: RateLimited, Wait: t.caller.pause}
		}
		if err != nil || done {
			r.options.Observer.GapsCompared(source.Provider, t.report, err)
			return t.report, err
		}
	}
}

func (r *Runner) beginRepair(source delivery.ID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, same := r.repairing[source]
	if same || len(r.repairing) >= repairsAtOnce {
		return &BusyError{Same: same}
	}
	r.repairing[source] = struct{}{}
	return nil
}

func (r *Runner) endRepair(source delivery.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.repairing, source)
}

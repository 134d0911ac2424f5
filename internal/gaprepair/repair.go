package gaprepair

import (
	"context"
	"time"
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
// The errors are *SettingError, ErrEmptySpan, *TooFarBackError, *APIError, the
// database's or the context's. The report counts what was done until then, and
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
	t := r.newTurn(&source)
	t.span = &span{until: until, dryRun: dryRun}
	t.state.Pass = &pass{From: since}
	for {
		done, err := t.page(ctx)
		if err == nil && !done && t.caller.pause > 0 {
			err = &APIError{Provider: source.Provider, Reason: RateLimited, Wait: t.caller.pause}
		}
		if err != nil || done {
			r.options.Observer.GapsCompared(source.Provider, t.report, err)
			return t.report, err
		}
	}
}

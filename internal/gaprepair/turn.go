package gaprepair

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// Of one turn: requests, and the time after which none is begun.
	requestsAtOnce = 40
	turnTime       = 40 * time.Second
)

// A turn does some of a source's pass.
type turn struct {
	runner   *Runner
	source   *Source
	provider provider
	caller   *caller
	ends     time.Time // by our clock

	checked time.Time
	state   state
	span    *span // of a Repair, which keeps no position
	report  Report
	found   int // not yet saved
}

// A span is what a Repair looks at.
type span struct {
	until  time.Time // zero: all that can be missed
	dryRun bool
}

func (r *Runner) newTurn(source *Source) *turn {
	return &turn{
		runner: r, source: source, provider: providers[source.Provider], caller: newCaller(r, source),
		ends: r.options.Now().Add(turnTime),
	}
}

// run does pages until the pass is through or the turn is over, and keeps the
// position after each. more says that the pass can go on at once.
func (t *turn) run(ctx context.Context, position Position) (more bool, _ error) {
	t.state, t.checked = readState(position.State), position.CheckedAt
	t.state.begin(t.checked)
	for t.mayGoOn() {
		done, err := t.page(ctx)
		if err != nil {
			return false, t.failed(ctx, err)
		}
		t.state.Failures = 0
		note := ""
		switch {
		case done:
			note = t.complete()
		case t.caller.pause > 0:
			t.state.Next = t.runner.options.Now().Add(t.caller.pause)
			note = "nearly all requests that the token may make in an hour are spent; it goes on in the next"
		}
		if err := t.save(ctx, note); err != nil {
			return false, err
		}
		if done || t.caller.pause > 0 {
			return false, nil
		}
	}
	return true, nil
}

// mayGoOn says whether the turn has a request left. A Repair has as many as it takes.
func (t *turn) mayGoOn() bool {
	return t.span != nil || t.caller.requests < requestsAtOnce && t.runner.options.Now().Before(t.ends)
}

// page compares one page and brings in what is missing. The pass has moved on
// after it, or, where not all of the page could be done, stands within it.
func (t *turn) page(ctx context.Context) (done bool, _ error) {
	p := t.state.Pass
	page, err := t.provider.list(ctx, t.caller, p.From, p.Cursor)
	if err != nil {
		return false, err
	}
	if p.Began.IsZero() {
		p.Began = page.date
		t.tellLost()
	}
	from, to := t.window(page.date)
	missing, err := t.missing(ctx, between(after(page.items, p.Within), from, to))
	if err != nil {
		return false, err
	}
	if whole, err := t.bring(ctx, missing); err != nil || !whole {
		return false, err
	}
	p.Pages++
	if page.next != "" && page.next == p.Cursor || p.Pages > maxPages {
		t.restart()
		return false, t.caller.unreadable()
	}
	p.Cursor, p.Within = page.next, ""
	return page.next == "" || len(page.items) > 0 && page.items[len(page.items)-1].at.Before(from), nil
}

// window is what of a page counts. How far back it goes is decided anew for
// every page: a pass may be interrupted for days.
func (t *turn) window(date time.Time) (from, to time.Time) {
	from = date.Add(-t.provider.reach())
	if t.span == nil && t.source.Since.After(from) {
		from = t.source.Since
	}
	if t.state.Pass.From.After(from) {
		from = t.state.Pass.From
	}
	to = t.state.Pass.Began.Add(-settle)
	if t.span != nil && !t.span.until.IsZero() && t.span.until.Before(to) {
		to = t.span.until
	}
	return from, to
}

// tellLost says what no pass will ever compare, for nothing was for too long.
func (t *turn) tellLost() {
	p := t.state.Pass
	earliest := p.Began.Add(-t.provider.reach())
	if t.span == nil && !p.From.IsZero() && p.From.Add(overlap).Before(earliest) {
		t.runner.options.Log.Warn("a source was not compared for too long: what did not come in this span, cannot be found any more",
			"source", t.source.shown(), "from", p.From.Add(overlap), "to", earliest)
	}
}

// after leaves out what was done of a page before. An item that is not there any
// more was pushed off the newest page by newer ones, which do not count yet.
func after(items []item, id string) []item {
	for i, one := range items {
		if id != "" && one.id == id {
			return items[i+1:]
		}
	}
	return items
}

func between(items []item, from, to time.Time) []item {
	var counted []item
	for _, one := range items {
		if !one.skip && !one.at.Before(from) && !one.at.After(to) {
			counted = append(counted, one)
		}
	}
	return counted
}

// missing asks the door's memory.
func (t *turn) missing(ctx context.Context, items []item) ([]item, error) {
	if len(items) == 0 {
		return nil, nil
	}
	keys := make([]string, len(items))
	for i, one := range items {
		keys[i] = one.key
	}
	known, err := t.runner.options.Keys.Known(ctx, t.source.ID, keys)
	if err != nil {
		return nil, fmt.Errorf("looking for events that came: %w", err)
	}
	var missing []item
	for _, one := range items {
		if !known[one.key] {
			missing = append(missing, one)
		}
	}
	t.report.Listed += len(items)
	t.report.Known += len(items) - len(missing)
	t.report.Missing += len(missing)
	return missing, nil
}

// complete ends the pass, and says what people should know about it.
func (t *turn) complete() (note string) {
	p := t.state.Pass
	t.checked = p.checked()
	t.state = state{Asked: p.Began, Next: t.runner.options.Now().Add(t.interval())}
	if p.Refused+p.GivenUp > 0 {
		note = fmt.Sprintf("%d events could not be brought in, and %d did not come however often they were asked for", p.Refused, p.GivenUp)
	}
	return note
}

func (t *turn) interval() time.Duration {
	if t.source.Interval > 0 {
		return t.source.Interval
	}
	return DefaultInterval
}

// failed has the source rest. Whoever was told to stop, has not failed: the page
// is done again.
func (t *turn) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var failure *APIError
	note := "what it lists could not be compared or taken in; see the log"
	if errors.As(err, &failure) {
		note = failure.Error()
		if (failure.Reason == Rejected || failure.Reason == NotFound) && t.state.Failures >= cursorTries-1 {
			t.restart()
		}
	}
	t.state.Failures++
	t.state.Next = t.runner.options.Now().Add(pauseAfter(t.state.Failures, failure, t.runner.options.Random()))
	return errors.Join(err, t.save(ctx, note))
}

// cursorTries is how often in a row a page must fail before its cursor is dropped.
const cursorTries = 3

// restart begins the pass anew if it was past its first page: cursors end, when
// what they name is no longer there.
func (t *turn) restart() {
	if t.span == nil && t.state.Pass.Cursor != "" {
		t.state.Pass = nil
		t.state.begin(t.checked)
	}
}

func (t *turn) save(ctx context.Context, note string) error {
	position := Position{CheckedAt: t.checked, LastError: note}
	if err := t.runner.save(ctx, t.source.ID, t.state, position, t.found); err != nil {
		return err
	}
	t.found = 0
	return nil
}

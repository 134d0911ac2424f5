package retention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// How long things are kept.
const (
	Default = 30 * day
	// Shortest: idempotency keys live for seven days, and clocks differ.
	Shortest = 8 * day
)

const day = 24 * time.Hour

// lookAgain is how long what was left of a day is let be: a little less than a
// day, so that hourly runs find it daily.
const lookAgain = 23 * time.Hour

// Why a Keeper does not do what it should.
var (
	ErrTooShort = fmt.Errorf("events must be kept for at least %d days, or idempotency keys would outlive them", Shortest/day)
	// ErrBusy: others used the tables all the time. Nothing has changed; a later
	// run may find a better moment.
	ErrBusy = errors.New("the tables were in use")
)

// Options of New.
type Options struct {
	Keep time.Duration // how long events are kept; 0: Default
	Log  *slog.Logger
}

// Keeper removes what is too old.
type Keeper struct {
	store *store.Store
	keep  time.Duration
	log   *slog.Logger

	firstPause time.Duration
	moment     time.Duration
	step       func(string) // for tests: what is about to be done

	failed failures
}

// New makes a keeper on the store, which stays the caller's to close. ErrTooShort
// if keys would outlive the events that they name.
func New(s *store.Store, options Options) (*Keeper, error) {
	keep := cmp.Or(options.Keep, Default)
	if keep < Shortest {
		return nil, ErrTooShort
	}
	k := &Keeper{store: s, keep: keep, log: options.Log, firstPause: firstPause, moment: moment, step: func(string) {}}
	if k.log == nil {
		k.log = slog.New(slog.DiscardHandler)
	}
	return k, nil
}

// Removed counts rows by the table that they were in.
type Removed = map[string]int64

// Retire removes what is older than the retention, by now and by the database's
// clock (the earlier of the two: one that jumps ahead must not cost anybody's
// history), and says how many rows of which table that were. What fails for one
// day is logged and does not keep others from being done, and those go first in
// the next run, as this one's time may have gone into that day; the first error is
// returned. Rows that are counted are gone, also after an error.
//
// Two runs at once do no harm: one finds the other's tables in use.
func (k *Keeper) Retire(ctx context.Context, now time.Time) (Removed, error) {
	removed := make(Removed)
	now, err := k.earlier(ctx, now)
	if err != nil {
		return removed, err
	}
	days, err := k.due(ctx, now)
	if err != nil || len(days) == 0 {
		return removed, err
	}
	keys, err := k.liveKeys(ctx, now.Add(-k.keep))
	if err != nil {
		return removed, err
	}
	for _, d := range days {
		gone, dayErr := k.retire(ctx, d, keys[d.begin], now)
		for table, n := range gone {
			removed[table] += n
		}
		if len(gone) > 0 {
			k.log.Info("rows older than the retention were removed", "day", d.name(), "rows", gone)
		}
		k.note(ctx, d, dayErr, now)
		if dayErr != nil {
			err = cmp.Or(err, fmt.Errorf("retiring the %s of %s: %w", d.tables[0], d.name(), dayErr))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return removed, err
}

func (k *Keeper) retire(ctx context.Context, d partitions, keys []delivery.ID, now time.Time) (Removed, error) {
	if d.hasAttempts() {
		return k.retireAttempts(ctx, d, now)
	}
	return k.retireEvents(ctx, d, keys, now)
}

// due are the days to look at, oldest first, attempts after what they belong to,
// and days that failed in the last run after all others.
func (k *Keeper) due(ctx context.Context, now time.Time) ([]partitions, error) {
	all, err := k.existing(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(d partitions) bool { return k.dueAt(d).After(now) })
	slices.SortFunc(all, func(a, b partitions) int {
		return cmp.Or(
			falseFirst(k.hasFailed(a), k.hasFailed(b)),
			falseFirst(a.hasAttempts(), b.hasAttempts()),
			a.begin.Compare(b.begin))
	})
	return all, nil
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// dueAt is when a day is to be gone through. Attempts stay a day longer: the clock
// of the worker that made their claim may have been behind the publisher's.
func (k *Keeper) dueAt(d partitions) time.Time {
	old := d.begin.Add(day + k.keep)
	if d.hasAttempts() {
		old = old.Add(clockSkew)
	}
	if again := d.looked.Add(lookAgain); again.After(old) {
		return again
	}
	return old
}

const clockSkew = day

func (k *Keeper) earlier(ctx context.Context, now time.Time) (time.Time, error) {
	var databases time.Time
	if err := k.store.Pool().QueryRow(ctx, `SELECT now()`).Scan(&databases); err != nil {
		return now, fmt.Errorf("asking for the database's time: %w", err)
	}
	if databases.Before(now) {
		return databases.UTC(), nil
	}
	return now.UTC(), nil
}

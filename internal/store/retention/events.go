package retention

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/open.sql
var openSQL string

//go:embed queries/dead.sql
var deadSQL string

//go:embed queries/closed.sql
var closedSQL string

//go:embed queries/events.sql
var eventsSQL string

//go:embed queries/renderings.sql
var renderingsSQL string

//go:embed queries/keep_deliveries.sql
var keepDeliveriesSQL string

//go:embed queries/needed_events.sql
var neededEventsSQL string

//go:embed queries/keep_events.sql
var keepEventsSQL string

//go:embed queries/keep_renderings.sql
var keepRenderingsSQL string

// survey is what a day holds, in one snapshot.
type survey struct {
	open, closed, dead, events, renderings int64
}

func (k *Keeper) survey(ctx context.Context, d partitions) (s survey, err error) {
	err = k.reading(ctx, func(tx pgx.Tx) error {
		for _, count := range []struct {
			sql     string
			targets []any
		}{
			{openSQL, []any{&s.open}},
			{closedSQL, []any{&s.closed, &s.dead}},
			{eventsSQL, []any{&s.events}},
			{renderingsSQL, []any{&s.renderings}},
		} {
			if err := countOf(ctx, tx, count.sql, d, count.targets...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("counting its rows: %w", err)
	}
	return s, nil
}

// querier is a transaction or the connection that it is on.
type querier interface {
	QueryRow(ctx context.Context, sql string, parameters ...any) pgx.Row
}

// countOf reads counts of a day. Planned for the day's ids, a statement opens only
// its partition.
func countOf(ctx context.Context, in querier, sql string, d partitions, targets ...any) error {
	return in.QueryRow(ctx, sql, pgx.QueryExecModeCacheDescribe, d.from(), d.to()).Scan(targets...)
}

// retireEvents goes through a day of events with their renderings and deliveries.
func (k *Keeper) retireEvents(ctx context.Context, d partitions, keys []delivery.ID, now time.Time) (Removed, error) {
	k.step("go through events")
	s, err := k.survey(ctx, d)
	if err != nil {
		return nil, err
	}
	if s.open+s.dead == 0 && len(keys) == 0 {
		err := k.whenFree(ctx, func() error { return k.dropEvents(ctx, d) })
		if err != nil {
			return nil, err
		}
		return counted(Removed{events: s.events, renderings: s.renderings, deliveries: s.closed}), nil
	}
	removed := make(Removed)
	if d.has(deliveries) && d.isWorthIt(s.closed, s.dead) {
		removed[deliveries], err = k.leaveDead(ctx, d, s)
		if err != nil {
			return counted(removed), fmt.Errorf("leaving the dead deliveries: %w", err)
		}
	}
	if !d.has(events) {
		return counted(removed), nil
	}
	gone, err := k.rebuildEvents(ctx, d, s, keys, now)
	maps.Copy(removed, gone)
	return counted(removed), err
}

// isWorthIt says whether a table is made anew for what is not needed of it: at
// first always, later if that is at least a tenth. What is left of a day is little,
// and mostly stays until somebody sees to it.
func (d partitions) isWorthIt(rows, needed int64) bool {
	unneeded := rows - needed
	return unneeded > 0 && (d.isFirstLook() || unneeded >= rows/10)
}

// counted leaves out tables of which nothing was removed.
func counted(removed Removed) Removed {
	for table, n := range removed {
		if n == 0 {
			delete(removed, table)
		}
	}
	return removed
}

// errNeeded: the day was not needed when it was looked at, and is now.
var errNeeded = errors.New("something of it came to be needed meanwhile: it is gone through again")

// dropEvents drops a day. Whoever is about to need something of it – a replay that
// is not committed yet – holds a lock that keeps this from happening, or has been
// seen.
func (k *Keeper) dropEvents(ctx context.Context, d partitions) error {
	k.step("drop events")
	return k.changing(ctx, d, frozen, func(c *change) error {
		var open, dead int64
		if err := countOf(ctx, c.conn, openSQL, d, &open); err != nil {
			return fmt.Errorf("counting what is open: %w", orBusy(err))
		}
		if err := countOf(ctx, c.conn, deadSQL, d, &dead); err != nil {
			return fmt.Errorf("counting what is dead: %w", orBusy(err))
		}
		if open+dead > 0 {
			return errNeeded
		}
		return c.exchange(ctx, d.tables, d.drop(), 1)
	})
}

func (d partitions) drop() string {
	var statements string
	for _, table := range d.tables {
		statements += fmt.Sprintf("DROP TABLE malote.%s; ", d.of(table))
	}
	return statements + "SELECT"
}

// leaveDead removes closed deliveries that are not dead, and says how many.
func (k *Keeper) leaveDead(ctx context.Context, d partitions, s survey) (removed int64, err error) {
	err = k.whenFree(ctx, func() (err error) {
		removed, err = k.rebuildDeliveries(ctx, d, s)
		return err
	})
	switch {
	case errors.Is(err, errTooMuch):
		return k.thinDeliveries(ctx, d)
	case err != nil:
		return 0, err
	}
	return removed, nil
}

// moment bounds how long those who close or replay a delivery of the day wait.
const moment = 2 * time.Second

// rebuildDeliveries leaves nothing of a day but what is dead, and says how many
// rows are gone. Nobody can write to it meanwhile, so what is copied is what is
// there: who closes a delivery then, finds the new table.
func (k *Keeper) rebuildDeliveries(ctx context.Context, d partitions, s survey) (removed int64, err error) {
	k.step("rebuild deliveries")
	only := d.only(deliveries)
	err = k.withReader(ctx, func(from reader) error {
		ctx, cancel := context.WithTimeoutCause(ctx, k.moment, errTooMuch)
		defer cancel()
		err := k.changing(ctx, only, frozen, func(c *change) error {
			var r rebuilt
			err := from.in(ctx, func(conn *pgx.Conn) (err error) {
				r, err = c.rebuild(ctx, conn, d, deliveries, newSelection(keepDeliveriesSQL, d, nil))
				return err
			})
			if err != nil {
				return err
			}
			var open int64
			if err := countOf(ctx, c.conn, openSQL, d, &open); err != nil {
				return fmt.Errorf("counting what is open: %w", orBusy(err))
			}
			// Deliveries neither come to be nor vanish, they open and close: that is
			// how many were closed under the lock.
			removed = s.closed + s.open - open - r.kept
			k.step("exchange deliveries")
			return c.exchange(ctx, only.tables, r.exchange()+"SELECT", 1)
		})
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return cause
		}
		return err
	})
	return removed, err
}

// rebuildEvents leaves the events, with their renderings, that are needed. While
// they are copied fewer may come to be needed, but no others: a delivery that can
// be opened again is in the day's deliveries, whose events are all kept, and events
// do not get new deliveries.
func (k *Keeper) rebuildEvents(ctx context.Context, d partitions, s survey, keys []delivery.ID, now time.Time) (Removed, error) {
	k.step("rebuild events")
	log := d.only(events, renderings)
	removed := make(Removed)
	err := k.withReader(ctx, func(from reader) error {
		return k.changing(ctx, log, withoutWriters, func(c *change) error {
			var statements string
			err := from.in(ctx, func(conn *pgx.Conn) error {
				needed, err := newSelection(neededEventsSQL+keepEventsSQL, d, keys).count(ctx, conn)
				if err != nil || !d.isWorthIt(s.events, needed) {
					return err
				}
				for _, table := range log.tables {
					r, err := c.rebuild(ctx, conn, d, table, newSelection(neededEventsSQL+keepSQL[table], d, keys))
					if err != nil {
						return err
					}
					removed[table] = -r.kept
					statements += r.exchange()
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("copying what is needed: %w", err)
			}
			if statements == "" {
				return c.exec(ctx, d.mark(now)+"; COMMIT")
			}
			k.step("exchange events")
			return c.exchange(ctx, log.tables, statements+d.mark(now), patientTries)
		})
	})
	if err != nil {
		return nil, err
	}
	if len(removed) > 0 {
		removed[events] += s.events
		removed[renderings] += s.renderings
	}
	return removed, nil
}

var keepSQL = map[string]string{events: keepEventsSQL, renderings: keepRenderingsSQL}

package retention

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// The partitioned tables. Deliveries share the instant of their event's id, so
// that the first three of a day stand and fall together; attempts have their
// claim's.
const (
	events     = "events"
	renderings = "event_renderings"
	deliveries = "deliveries"
	attempts   = "attempts"
)

// keyColumn is what a table is partitioned by.
var keyColumn = map[string]string{events: "id", renderings: "event_id", deliveries: "id", attempts: "claim_token"}

// partitions are what belongs together of one day.
type partitions struct {
	begin  time.Time // midnight, UTC
	tables []string  // those that there is a partition of, in the order of the constants
	looked time.Time // when they were last gone through; zero: they are as they grew
}

func (d partitions) hasAttempts() bool     { return d.tables[0] == attempts }
func (d partitions) from() delivery.ID     { return delivery.FloorID(d.begin) }
func (d partitions) to() delivery.ID       { return delivery.FloorID(d.begin.Add(day)) }
func (d partitions) of(t string) string    { return t + "_" + d.begin.Format(dayLayout) }
func (d partitions) name() string          { return d.begin.Format(time.DateOnly) }
func (d partitions) isFirstLook() bool     { return d.looked.IsZero() }
func (d partitions) has(table string) bool { return slices.Contains(d.tables, table) }

// only are some of the day's.
func (d partitions) only(tables ...string) partitions {
	d.tables = slices.DeleteFunc(slices.Clone(d.tables), func(t string) bool { return !slices.Contains(tables, t) })
	return d
}

// dayLayout ends a partition's name; see store.CreatePartitions.
const dayLayout = "20060102"

// A partition's comment says when it was last gone through. It goes when the
// partition does, and a table made in its place gets its own.
const lookedMark = "retention: last gone through at "

const existingSQL = `SELECT p.relname::text, c.relname::text, coalesce(obj_description(c.oid, 'pg_class'), '')
	FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
	JOIN pg_namespace n ON n.oid = p.relnamespace
	WHERE n.nspname = 'malote' AND p.relkind = 'p' AND p.relname = ANY ($1)`

// existing lists the partitions that there are: days with events, renderings and
// deliveries, and days with attempts.
func (k *Keeper) existing(ctx context.Context) ([]partitions, error) {
	type group struct {
		begin       time.Time
		hasAttempts bool
	}
	found := make(map[group]*partitions)
	order := []string{events, renderings, deliveries, attempts}
	rows, _ := k.store.Pool().Query(ctx, existingSQL, order)
	var parent, name, comment string
	_, err := pgx.ForEachRow(rows, []any{&parent, &name, &comment}, func() error {
		begin, err := time.Parse(dayLayout, strings.TrimPrefix(name, parent+"_"))
		if err != nil {
			return nil //nolint:nilerr // somebody else's: none of ours is named like that
		}
		at := group{begin, parent == attempts}
		if found[at] == nil {
			found[at] = &partitions{begin: begin}
		}
		d := found[at]
		d.tables = append(d.tables, parent)
		if marked, err := time.Parse(time.RFC3339, strings.TrimPrefix(comment, lookedMark)); err == nil {
			d.looked = marked
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing partitions: %w", err)
	}
	list := make([]partitions, 0, len(found))
	for _, d := range found {
		slices.SortFunc(d.tables, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
		list = append(list, *d)
	}
	return list, nil
}

// mark is the statement that notes when a day was gone through.
func (d partitions) mark(now time.Time) string {
	return fmt.Sprintf("COMMENT ON TABLE malote.%s IS '%s%s'", d.of(d.tables[0]), lookedMark, now.UTC().Format(time.RFC3339))
}

// liveKeysSQL reads keys over all shards, once in a run: few are as old as that,
// but no index says which.
const liveKeysSQL = `SELECT k.id FROM malote.event_keys k WHERE k.id < $1 AND k.expires_at > now() /* all shards */`

// liveKeys are the events before an instant that keys name, by day.
func (k *Keeper) liveKeys(ctx context.Context, before time.Time) (map[time.Time][]delivery.ID, error) {
	byDay := make(map[time.Time][]delivery.ID)
	err := k.reading(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, liveKeysSQL, delivery.FloorID(before))
		var id delivery.ID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			begin := id.Time().Truncate(day)
			byDay[begin] = append(byDay[begin], id)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the idempotency keys of old events: %w", err)
	}
	return byDay, nil
}

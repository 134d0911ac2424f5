package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/bulk_lock.sql
var bulkLockSQL string

// bulk reopens many closed deliveries of one endpoint, whose lane the
// transaction has locked, with one statement per table however many they are.
// Nobody looked at each of them, so it is more careful than a replay that a
// person asks for one by one. It passes over
//
//   - what is no longer in one of the states, or has lost its event;
//   - what was skipped for another reason than that the endpoint was disabled: it
//     never wanted that; and tests, whatever became of them;
//   - what an at-most-once endpoint may have received already (A06);
//   - what would tell the endpoint an older state of an entity than it was told,
//     or is about to be told (F13).
type bulk struct {
	tx       pgx.Tx
	endpoint delivery.ID
	states   []delivery.State
	trigger  delivery.Trigger

	found  []closed // locked, in the order of their ids
	rivals map[entity][]rival
}

// surveyed is a delivery that was seen closed.
type surveyed struct {
	id          delivery.ID
	coalesceKey string
}

// closed is a delivery that is closed and stays so until the transaction ends.
type closed struct {
	surveyed
	mayHaveArrived bool // and must not a second time
	eventKept      bool
}

// reopen says how many of the deliveries are pending now.
func (b *bulk) reopen(ctx context.Context, wanted []surveyed) (int, error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	for _, step := range []func(context.Context, []surveyed) error{
		b.lockRivals,
		b.lockClosed,
		b.addArrived,
	} {
		if err := step(ctx, wanted); err != nil {
			return 0, err
		}
	}
	return b.write(ctx)
}

func (b *bulk) lockRivals(ctx context.Context, wanted []surveyed) error {
	b.rivals = make(map[entity][]rival)
	keyed := make(entities)
	for _, s := range wanted {
		if s.coalesceKey != "" {
			keyed[b.entity(s)] = struct{}{}
		}
	}
	if len(keyed) == 0 {
		return nil
	}
	return lockRivals(ctx, b.tx, b.endpoint.Shard(), keyed, b.rivals)
}

func (b *bulk) lockClosed(ctx context.Context, wanted []surveyed) error {
	ids := make([]delivery.ID, len(wanted))
	for i, s := range wanted {
		ids[i] = s.id
	}
	first, last := bounds(ids)
	rows, _ := b.tx.Query(ctx, bulkLockSQL, planned, b.endpoint.Shard(), b.endpoint, ids, first, last, b.states)
	var err error
	b.found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c closed, err error) {
		err = row.Scan(&c.id, &c.coalesceKey, &c.mayHaveArrived, &c.eventKept)
		return c, err
	})
	if err != nil {
		return fmt.Errorf("locking closed deliveries: %w", err)
	}
	return nil
}

// addArrived makes rivals of newer deliveries of the same entities that went well.
func (b *bulk) addArrived(ctx context.Context, _ []surveyed) error {
	var oldest delivery.ID
	keyed := make(entities)
	for _, c := range b.found {
		if c.coalesceKey == "" {
			continue
		}
		if len(keyed) == 0 {
			oldest = c.id
		}
		keyed[b.entity(c.surveyed)] = struct{}{}
	}
	if len(keyed) == 0 {
		return nil
	}
	return addArrived(ctx, b.tx, b.endpoint.Shard(), oldest, keyed, b.rivals)
}

// chosen are the deliveries to reopen, of each entity only the newest.
func (b *bulk) chosen() []surveyed {
	last := make(map[string]delivery.ID)
	for _, c := range b.found {
		if c.coalesceKey != "" && b.mayGo(c) {
			last[c.coalesceKey] = c.id
		}
	}
	var list []surveyed
	for _, c := range b.found {
		if b.mayGo(c) && (c.coalesceKey == "" || last[c.coalesceKey] == c.id) {
			list = append(list, c.surveyed)
		}
	}
	return list
}

func (b *bulk) mayGo(c closed) bool {
	return c.eventKept && !c.mayHaveArrived &&
		(c.coalesceKey == "" || !hasNewer(b.rivals[b.entity(c.surveyed)], c.id))
}

func (b *bulk) write(ctx context.Context) (int, error) {
	chosen := b.chosen()
	if len(chosen) == 0 {
		return 0, nil
	}
	var older ending
	ids := make([]delivery.ID, len(chosen))
	for i, c := range chosen {
		ids[i] = c.id
		if c.coalesceKey != "" {
			older.replace(b.rivals[b.entity(c)], c.id)
		}
	}
	if err := older.close(ctx, b.tx, b.endpoint.Shard()); err != nil {
		return 0, err
	}
	opened, err := reopen(ctx, b.tx, b.endpoint.Shard(), ids, b.trigger)
	return len(opened), err
}

func (b *bulk) entity(s surveyed) entity { return entity{b.endpoint, s.coalesceKey} }

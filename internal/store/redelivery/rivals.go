package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/lock_rivals.sql
var lockRivalsSQL string

// rival is an open delivery of an entity, or the one that arrived last.
type rival struct {
	id    delivery.ID
	state delivery.State
}

// entities is a set.
type entities map[entity]struct{}

// lockRivals adds the open deliveries of entities, now locked. The lanes must be
// locked before: so nothing of theirs is claimed or completed meanwhile, and what
// a publisher adds is met by the unique index.
func lockRivals(ctx context.Context, tx pgx.Tx, shard delivery.Shard, of entities, rivals map[entity][]rival) error {
	endpoints, keys := of.columns()
	rows, _ := tx.Query(ctx, lockRivalsSQL, planned, shard, endpoints, keys)
	var at entity
	var found rival
	_, err := pgx.ForEachRow(rows, []any{&found.id, &at.endpointID, &at.coalesceKey, &found.state}, func() error {
		rivals[at] = append(rivals[at], found)
		return nil
	})
	if err != nil {
		return fmt.Errorf("locking open deliveries of the same entities: %w", err)
	}
	return nil
}

//go:embed queries/arrived.sql
var arrivedSQL string

// addArrived adds to the rivals what of the entities was delivered last, of what is
// newer than the oldest candidate: an older state must not arrive after it.
func addArrived(ctx context.Context, tx pgx.Tx, shard delivery.Shard, oldest delivery.ID, of entities, rivals map[entity][]rival) error {
	endpoints, keys := of.columns()
	rows, _ := tx.Query(ctx, arrivedSQL, planned, shard, endpoints, keys, oldest)
	var at entity
	found := rival{state: delivery.Delivered}
	_, err := pgx.ForEachRow(rows, []any{&at.endpointID, &at.coalesceKey, &found.id}, func() error {
		rivals[at] = append(rivals[at], found)
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for newer deliveries of the same entities: %w", err)
	}
	return nil
}

func (e entities) columns() (endpoints []delivery.ID, keys []string) {
	for of := range e {
		endpoints, keys = append(endpoints, of.endpointID), append(keys, of.coalesceKey)
	}
	return endpoints, keys
}

// hasNewer: a newer delivery that is being sent counts like a pending one. If it
// failed and found the older one pending, it would be taken for replaced.
func hasNewer(rivals []rival, than delivery.ID) bool {
	for _, rival := range rivals {
		if newer(rival.id, than) {
			return true
		}
	}
	return false
}

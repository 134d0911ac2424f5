package redelivery

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// The locks of a replay, in the order in which they are taken.

//go:embed queries/lock_lanes.sql
var lockLanesSQL string

//go:embed queries/lock_closed.sql
var lockClosedSQL string

func (r *replaying) lockLanes(ctx context.Context) error {
	var endpoints []delivery.ID
	for _, c := range r.replayable() {
		endpoints = append(endpoints, c.endpointID)
	}
	return inOrder(byShard(unique(endpoints)), func(shard delivery.Shard, ids []delivery.ID) error {
		rows, _ := r.tx.Query(ctx, lockLanesSQL, shard, ids)
		var endpoint delivery.ID
		var status delivery.EndpointStatus
		_, err := pgx.ForEachRow(rows, []any{&endpoint, &status}, func() error {
			r.lanes[endpoint] = status
			return nil
		})
		if err != nil {
			return fmt.Errorf("locking lanes: %w", err)
		}
		return nil
	})
}

func (r *replaying) lockRivals(ctx context.Context) error {
	keyed := make(map[delivery.Shard]entities)
	oldest := make(map[delivery.Shard]delivery.ID)
	for _, c := range r.replayable() {
		if c.coalesceKey != "" {
			shard := c.id.Shard()
			if keyed[shard] == nil {
				keyed[shard], oldest[shard] = make(entities), c.id
			}
			if newer(oldest[shard], c.id) {
				oldest[shard] = c.id
			}
			keyed[shard][c.entity()] = struct{}{}
		}
	}
	return inOrder(keyed, func(shard delivery.Shard, wanted entities) error {
		if err := lockRivals(ctx, r.tx, shard, wanted, r.rivals); err != nil {
			return err
		}
		return addArrived(ctx, r.tx, shard, oldest[shard], wanted, r.rivals)
	})
}

func (r *replaying) lockClosed(ctx context.Context) error {
	var ids []delivery.ID
	for _, c := range r.replayable() {
		ids = append(ids, c.id)
	}
	return inOrder(byShard(ids), func(shard delivery.Shard, ids []delivery.ID) error {
		first, last := bounds(ids)
		rows, _ := r.tx.Query(ctx, lockClosedSQL, planned, shard, ids, first, last)
		var now candidate
		_, err := pgx.ForEachRow(rows, []any{&now.id, &now.state, &now.policy, &now.url, &now.eventKept, &now.atMostOnce, &now.attempts, &now.lastError}, func() error {
			c := r.found[now.id]
			c.state, c.policy, c.url, c.eventKept, c.locked = now.state, now.policy, now.url, now.eventKept, true
			c.atMostOnce, c.attempts, c.lastError = now.atMostOnce, now.attempts, now.lastError
			return nil
		})
		if err != nil {
			return fmt.Errorf("locking closed deliveries: %w", err)
		}
		return nil
	})
}

package store

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/publish_take_pending.sql
var takePendingSQL string

// coalesceTries bounds how often another publisher may slip in between taking
// an entity's pending delivery out and putting the newer one in.
const coalesceTries = 8

// entity is what coalescing is about: one thing as one endpoint sees it.
type entity struct {
	endpointID delivery.ID
	key        string
}

// compare is the order in which the pending deliveries of several entities are
// put into the queue. The unique index makes two transactions that put the same
// one wait for each other: in different orders, for ever.
func (e entity) compare(other entity) int {
	return cmp.Or(bytes.Compare(e.endpointID[:], other.endpointID[:]), cmp.Compare(e.key, other.key))
}

// replacePending puts the deliveries that have a coalescing key into the queue,
// each in place of the endpoint's pending one with that key (F13). What it
// takes out is closed as superseded; what is being sent at the moment stays and
// is decided when its attempt ends. The newest delivery has the new event's id,
// time and age, never the replaced one's.
func (p *publication) replacePending(ctx context.Context) error {
	newest, older := p.newestPerEntity()
	p.round.superseded = append(p.round.superseded, older...)
	for range coalesceTries {
		if len(newest) == 0 {
			return nil
		}
		if err := p.takePending(ctx, newest); err != nil {
			return err
		}
		if err := p.putPending(ctx, newest); err != nil {
			return err
		}
	}
	return fmt.Errorf("replacing pending deliveries: %w", errAgain)
}

// newestPerEntity keeps the last draft per entity of this very transaction; the
// earlier ones are superseded before they were ever pending.
func (p *publication) newestPerEntity() (map[entity]queueRow, closedRows) {
	newest := make(map[entity]queueRow)
	var older closedRows
	for _, row := range p.queueRows(true) {
		at := row.entity()
		if previous, ok := newest[at]; ok {
			older = append(older, previous.superseded(row.id))
		}
		newest[at] = row
	}
	return newest, older
}

func (p *publication) takePending(ctx context.Context, newest map[entity]queueRow) error {
	var shards []delivery.Shard
	var endpoints []delivery.ID
	var keys []string
	for at := range newest {
		shards = append(shards, at.endpointID.Shard())
		endpoints = append(endpoints, at.endpointID)
		keys = append(keys, at.key)
	}
	rows, _ := p.tx.Query(ctx, takePendingSQL, shards, endpoints, keys)
	var old closedDelivery
	_, err := pgx.ForEachRow(rows, []any{&old.id, &old.endpointID, &old.eventID, &old.tenant, &old.trigger,
		&old.rendering, &old.attemptCount, &old.lastStatus, &old.lastError, &old.coalesceKey}, func() error {
		old.state, old.reason = delivery.Superseded, delivery.ReplacedByNewer
		old.supersededBy = newest[entity{old.endpointID, old.coalesceKey}].id
		p.round.superseded = append(p.round.superseded, old)
		return nil
	})
	if err != nil {
		return fmt.Errorf("taking replaced deliveries out of the queue: %w", err)
	}
	return nil
}

// putPending removes from newest what it could insert; what is left collided
// with another publisher's delivery of the same entity.
func (p *publication) putPending(ctx context.Context, newest map[entity]queueRow) error {
	list := make(queueRows, 0, len(newest))
	for _, row := range newest {
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b queueRow) int { return a.entity().compare(b.entity()) })
	rows, _ := p.tx.Query(ctx, insertQueueSQL, list.columns()...)
	var at entity
	_, err := pgx.ForEachRow(rows, []any{&at.endpointID, &at.key}, func() error {
		delete(newest, at)
		return nil
	})
	if err != nil {
		return fmt.Errorf("queueing coalesced deliveries: %w", err)
	}
	return nil
}

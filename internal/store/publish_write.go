package store

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/publish_events.sql
var publishEventsSQL string

//go:embed queries/publish_renderings.sql
var publishRenderingsSQL string

// write sends everything that the earlier steps left to be written, in one
// round trip, one statement per table, however many events there are, and commits
// it with it.
func (p *publication) write(ctx context.Context) error {
	batch := &pgx.Batch{}
	p.queueEvents(batch)
	p.queueRenderings(batch)
	if rows := p.queueRows(false); len(rows) > 0 {
		batch.Queue(insertUnkeyedSQL, queueRows(rows).columns()...)
	}
	closed := append(p.skippedRows(), p.round.superseded...)
	closed.queue(batch)
	p.round.lanes = p.lanesWithWork() // also beside an error: it may be committed in spite of it
	if err := p.tx.finish(ctx, batch); err != nil {
		return fmt.Errorf("writing events: %w", err)
	}
	return nil
}

func (p *publication) queueEvents(batch *pgx.Batch) {
	written := p.round.writable()
	n := len(written)
	if n == 0 {
		return
	}
	shards, ids := make([]delivery.Shard, n), make([]delivery.ID, n)
	tenants, types, contentTypes := make([]string, n), make([]string, n), make([]string, n)
	bodies := make([][]byte, n)
	keys, coalesce, versions, external := make([]pgtype.Text, n), make([]pgtype.Text, n), make([]pgtype.Text, n), make([]pgtype.Text, n)
	occurred, accepted := make([]time.Time, n), make([]time.Time, n)
	sources, headers, traces := make([]delivery.ID, n), make([]pgtype.Text, n), make([]pgtype.Text, n)
	for row, i := range written {
		e := p.all[i].Event
		shards[row], ids[row] = e.ID.Shard(), e.ID
		tenants[row], types[row], contentTypes[row] = e.Tenant, e.Type, e.ContentType
		bodies[row] = p.round.plans[i].Bodies[0]
		keys[row], coalesce[row] = textOrNull(e.IdempotencyKey), textOrNull(e.CoalesceKey)
		versions[row], external[row] = textOrNull(e.EntityVersion), textOrNull(e.ExternalID)
		occurred[row], accepted[row] = e.OccurredAt, e.AcceptedAt
		sources[row], headers[row] = e.SourceID, encodeHeaders(e.Headers)
		traces[row] = textOrNull(e.TraceParent)
	}
	batch.Queue(publishEventsSQL, shards, ids, tenants, types, contentTypes, bodies,
		keys, coalesce, versions, external, occurred, accepted, sources, headers, traces)
}

func (p *publication) queueRenderings(batch *pgx.Batch) {
	var shards []delivery.Shard
	var events []delivery.ID
	var numbers []int16
	var bodies [][]byte
	for _, i := range p.round.writable() {
		event := p.all[i].Event.ID
		for number, body := range p.round.plans[i].Bodies[1:] {
			shards = append(shards, event.Shard())
			events = append(events, event)
			numbers = append(numbers, int16(number+1))
			bodies = append(bodies, body)
		}
	}
	if len(events) > 0 {
		batch.Queue(publishRenderingsSQL, shards, events, numbers, bodies)
	}
}

// queueRows are the new open deliveries with, or without, a coalescing key.
// Keyed and unkeyed ones are asked for once each: every call makes new ids.
func (p *publication) queueRows(keyed bool) []queueRow {
	var rows []queueRow
	for _, i := range p.round.writable() {
		event := p.all[i].Event
		if (event.CoalesceKey != "") != keyed {
			continue
		}
		for _, planned := range p.round.plans[i].Deliveries {
			if planned.State == delivery.Pending {
				rows = append(rows, queueRow{
					id: delivery.NewDeliveryID(event.ID, p.store.random), endpointID: planned.EndpointID,
					eventID: event.ID, tenant: event.Tenant, rendering: int16(planned.Rendering),
					delay: planned.Delay, coalesceKey: event.CoalesceKey,
					trigger:      cmp.Or(planned.Trigger, delivery.TriggerSchedule),
					fifoPosition: p.positionOf(i, planned),
				})
			}
		}
	}
	return rows
}

func (p *publication) skippedRows() closedRows {
	var rows closedRows
	for _, i := range p.round.writable() {
		event := p.all[i].Event
		for _, planned := range p.round.plans[i].Deliveries {
			if planned.State != delivery.Pending {
				rows = append(rows, closedDelivery{
					id: delivery.NewDeliveryID(event.ID, p.store.random), endpointID: planned.EndpointID,
					eventID: event.ID, tenant: event.Tenant, state: planned.State, reason: planned.Reason,
					trigger: cmp.Or(planned.Trigger, delivery.TriggerSchedule), rendering: int16(planned.Rendering), coalesceKey: event.CoalesceKey,
				})
			}
		}
	}
	return rows
}

func (p *publication) lanesWithWork() []delivery.LaneRef {
	seen := make(map[delivery.ID]bool)
	var lanes []delivery.LaneRef
	for _, i := range p.round.writable() {
		for _, planned := range p.round.plans[i].Deliveries {
			if planned.State == delivery.Pending && !seen[planned.EndpointID] {
				seen[planned.EndpointID] = true
				lanes = append(lanes, delivery.LaneRef{Shard: planned.EndpointID.Shard(), EndpointID: planned.EndpointID})
			}
		}
	}
	return lanes
}

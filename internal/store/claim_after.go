package store

import (
	"bytes"
	"context"
	_ "embed"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/claim_events.sql
var claimEventsSQL string

// afterwards does what comes after the commit, in one round trip or, where this
// process published lately what it sends and no lane was parked, in none.
//
// I4: parked first, committed, and now looked at again. A publisher that
// committed before the parking did and saw the lane still ready, is seen here.
func (c *claiming) afterwards(ctx context.Context) (delivery.Claimed, error) {
	result := delivery.Claimed{Lanes: c.lanesLookedAt(), More: c.isMore(), NextDue: c.nextDue(), Untaken: c.untaken(), Full: c.full}
	woken := 0
	missing := c.recall()
	var err error
	if len(c.parked) > 0 || len(missing) > 0 {
		err = c.store.inHotBatch(ctx, "reading what was claimed", func(batch *pgx.Batch) {
			if len(c.parked) > 0 {
				batch.Queue(asyncCommit)
				shards, endpoints := splitRefs(c.parked)
				batch.Queue(wakeStrandedSQL, shards, endpoints).QueryRow(func(row pgx.Row) error { return row.Scan(&woken) })
			}
			if len(missing) > 0 {
				batch.Queue(planAnew) // or it opens every day's partition
				queueEvents(batch, missing)
			}
		})
	}
	for _, row := range c.rows {
		if err != nil || row.isWhole {
			result.Claims = append(result.Claims, row.claim)
		} else {
			// Comes back when the lease ends, until its attempts are used up: it
			// must not keep the others of this claim from being sent.
			c.store.log.Error("a delivery's event is missing; it cannot be sent",
				"delivery", row.claim.DeliveryID.Format(delivery.DeliveryPrefix), "event", row.claim.Event.ID.Format(delivery.EventPrefix))
		}
	}
	switch {
	case err != nil:
		result.Untaken = c.parked // nobody has looked at them again
	case woken > 0:
		result.NextDue = 0
	}
	if woken > 0 || c.spilled {
		c.store.notify(ctx)
	}
	return result, err
}

func (c *claiming) lanesLookedAt() []delivery.LaneRef {
	refs := make([]delivery.LaneRef, len(c.lanes))
	for i, lane := range c.lanes {
		refs[i] = lane.LaneRef
	}
	return refs
}

// queueSettled asks about the lanes that were handed over and not locked.
func (c *claiming) queueSettled(batch *pgx.Batch) {
	unlocked := c.unlocked()
	if len(unlocked) == 0 {
		return
	}
	shards, endpoints := splitRefs(unlocked)
	batch.Queue(claimSettledSQL, shards, endpoints).Query(func(rows pgx.Rows) error {
		c.settled = make(map[delivery.ID]bool)
		var ref delivery.LaneRef
		var isFull bool
		_, err := pgx.ForEachRow(rows, []any{&ref.Shard, &ref.EndpointID, &isFull}, func() error {
			c.settled[ref.EndpointID] = true
			if isFull {
				c.full = append(c.full, ref)
			}
			return nil
		})
		return err
	})
}

// untaken are the lanes that were handed over, not looked at, and must be woken.
func (c *claiming) untaken() []delivery.LaneRef {
	return slices.DeleteFunc(c.unlocked(), func(ref delivery.LaneRef) bool { return c.settled[ref.EndpointID] })
}

// unlocked are the lanes that were handed over and that the claim does not look at.
func (c *claiming) unlocked() []delivery.LaneRef {
	if len(c.handed) == 0 {
		return nil
	}
	lanes := c.lanesByID()
	return slices.DeleteFunc(slices.Clone(c.handed), func(ref delivery.LaneRef) bool {
		_, taken := lanes[ref.EndpointID]
		return taken
	})
}

// recall fills in the events that this process published lately, and returns the
// rows whose events must be read.
func (c *claiming) recall() (missing []*claimRow) {
	for i := range c.rows {
		row := &c.rows[i]
		if event, ok := c.store.recent.get(row.claim.Event.ID, row.rendering); ok {
			row.fill(event)
		} else {
			missing = append(missing, row)
		}
	}
	return missing
}

// queueEvents asks for the events of claims, and marks those as whole that have one.
func queueEvents(batch *pgx.Batch, claims []*claimRow) {
	batch.Queue(claimEventsSQL, eventsWanted(claims)...).Query(func(rows pgx.Rows) error { return readEvents(rows, claims) })
}

func eventsWanted(claims []*claimRow) []any {
	n := len(claims)
	shards, events, renderings := make([]delivery.Shard, n), make([]delivery.ID, n), make([]int16, n)
	lowest, highest := claims[0].claim.Event.ID, claims[0].claim.Event.ID
	for i, row := range claims {
		id := row.claim.Event.ID
		shards[i], events[i], renderings[i] = id.Shard(), id, row.rendering
		if bytes.Compare(id[:], lowest[:]) < 0 {
			lowest = id
		}
		if bytes.Compare(id[:], highest[:]) > 0 {
			highest = id
		}
	}
	return []any{shards, events, renderings, lowest, highest}
}

func readEvents(rows pgx.Rows, claims []*claimRow) error {
	for rows.Next() {
		var position int
		var event delivery.Event
		var headers []byte
		err := rows.Scan(&position, &event.Type, &event.ContentType, &event.OccurredAt, &event.AcceptedAt,
			&event.SourceID, &headers, &event.TraceParent, &event.Body)
		if err != nil {
			return err
		}
		if event.Headers, err = DecodeHeaders(headers); err != nil {
			return err
		}
		claims[position-1].fill(event)
	}
	return rows.Err()
}

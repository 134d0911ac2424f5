package store

import (
	"bytes"
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/claim_events.sql
var claimEventsSQL string

//go:embed queries/claim_next_due.sql
var claimNextDueSQL string

// afterwards does, in one round trip, what comes after the commit.
//
// I4: parked first, committed, and now looked at again. A publisher that
// committed before the parking did and saw the lane still ready, is seen here.
func (c *claiming) afterwards(ctx context.Context) (delivery.Claimed, error) {
	result := delivery.Claimed{Lanes: len(c.lanes), More: c.isMore(), NextDue: delivery.NothingDue}
	woken := 0
	err := c.store.inHotBatch(ctx, "reading what was claimed", func(batch *pgx.Batch) {
		batch.Queue(asyncCommit)
		if len(c.parked) > 0 {
			shards, endpoints := splitRefs(c.parked)
			batch.Queue(wakeStrandedSQL, shards, endpoints).QueryRow(func(row pgx.Row) error { return row.Scan(&woken) })
		}
		if len(c.rows) < c.n {
			left := c.left()
			batch.Queue(claimNextDueSQL, withRoom(left), hopeless(left)).QueryRow(func(row pgx.Row) error {
				return scanNextDue(row, &result.NextDue)
			})
		}
		if len(c.rows) > 0 {
			batch.Queue(planAnew) // or it opens every day's partition
			queueEvents(batch, c.rows)
		}
	})
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
	if err == nil && woken > 0 {
		c.store.notify(ctx)
	}
	return result, err
}

func scanNextDue(row pgx.Row, next *time.Duration) error {
	var seconds *float64
	err := row.Scan(&seconds)
	if seconds != nil {
		*next = max(0, time.Duration(*seconds*float64(time.Second)))
	}
	return err
}

// queueEvents asks for the events of claims, and marks those as whole that have one.
func queueEvents(batch *pgx.Batch, claims []claimRow) {
	batch.Queue(claimEventsSQL, eventsWanted(claims)...).Query(func(rows pgx.Rows) error { return readEvents(rows, claims) })
}

func eventsWanted(claims []claimRow) []any {
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

func readEvents(rows pgx.Rows, claims []claimRow) error {
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
		row := &claims[position-1]
		claimed := &row.claim.Event
		event.ID, event.Tenant, event.CoalesceKey = claimed.ID, claimed.Tenant, claimed.CoalesceKey
		*claimed, row.isWhole = event, true
	}
	return rows.Err()
}

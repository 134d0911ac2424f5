package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/publish_register.sql
var publishRegisterSQL string

//go:embed queries/open_publishers.sql
var openPublishersSQL string

const databaseClockSQL = `SELECT clock_timestamp()`

// publisherLocks marks the advisory locks of publishing transactions: the upper
// 16 bits of their keys. The other 48 are the millisecond before which none of
// the transaction's ids lie.
const publisherLocks int64 = 0x6d6c // "ml", below 0x8000: the key stays positive

// tick is the finest difference between two ids' times: see delivery.ID.
const tick = time.Millisecond/4096 + 1

// register makes the transaction known to readers, and only then reads the clock
// that its ids are made from. So whoever looks at the clock first, and at the
// locks after, knows an instant before which no event can appear any more: a
// publisher that is not registered yet will read a later one (D15).
func (p *publication) register(batch *pgx.Batch) {
	batch.Queue(publishRegisterSQL, publisherLocks)
	batch.Queue(databaseClockSQL).QueryRow(func(row pgx.Row) error { return row.Scan(&p.now) })
}

// identify gives ids to the events that come without. Each has a tick of its own,
// in the order of the drafts: an event's deliveries are found by its tick alone.
func (p *publication) identify() {
	for i, index := range p.round.nameless {
		event := &p.all[index].Event
		event.ID = delivery.NewID(delivery.ShardOf(event.Tenant), p.now.Add(time.Duration(i)*tick), p.store.random)
		event.AcceptedAt = event.ID.Time()
		if p.round.undated[index] {
			event.OccurredAt = event.AcceptedAt
		}
	}
}

// CompleteUntil is an instant before which no event will appear any more: every
// one with an earlier id is visible to a snapshot taken after this call. It lies
// back as far as the oldest publishing transaction that is still open, which is
// milliseconds, and at most what bounds such a transaction (see Open).
func (s *Store) CompleteUntil(ctx context.Context) (time.Time, error) {
	var until time.Time
	err := s.pool.QueryRow(ctx, openPublishersSQL, publisherLocks).Scan(&until)
	if err != nil {
		return time.Time{}, fmt.Errorf("looking for open publishing transactions: %w", err)
	}
	return until.UTC(), nil
}

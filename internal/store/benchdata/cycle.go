package benchdata

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// Cycles run the least that PostgreSQL has to do for deliveries that are not lost,
// in Malote's own tables with all their indexes: event and queue row inserted, the
// row claimed, deleted, and history and attempt inserted. Nothing is looked for,
// checked or locked, and nobody waits.
type Cycles struct {
	store    *store.Store
	endpoint delivery.ID
}

// NewCycles takes a schema of Malote's; nothing else may work on it.
func NewCycles(s *store.Store) *Cycles {
	return &Cycles{s, delivery.NewID(0, time.Now(), rand.Reader)}
}

// Batch is the rows of some deliveries on their way.
type Batch struct {
	cycles             *Cycles
	events, deliveries []delivery.ID
	token              delivery.ID
}

// Insert commits events with the body and a queue row each.
func (c *Cycles) Insert(ctx context.Context, n int, body []byte) (*Batch, error) {
	b := &Batch{cycles: c, token: delivery.NewID(0, time.Now(), rand.Reader)}
	for range n {
		event := delivery.NewID(0, time.Now(), rand.Reader)
		b.events, b.deliveries = append(b.events, event), append(b.deliveries, delivery.NewDeliveryID(event, rand.Reader))
	}
	return b, b.commit(ctx, "on", func(queued *pgx.Batch) {
		queued.Queue(`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, occurred_at, accepted_at)
			SELECT 0, id, 'bench', 'bench.event', 'application/json', $2, now(), now() FROM unnest($1::uuid[]) id`, b.events, body)
		queued.Queue(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
			SELECT 0, r.id, $3, r.event_id, 'bench', 'pending', 'schedule', now(), now()
			FROM unnest($1::uuid[], $2::uuid[]) AS r (id, event_id)`, b.deliveries, b.events, c.endpoint)
	})
}

// Claim marks them as being sent. Its commit may be lost, as that of a claim may.
func (b *Batch) Claim(ctx context.Context) error {
	return b.commit(ctx, "off", func(queued *pgx.Batch) {
		queued.Queue(`UPDATE malote.queue q SET status = 'sending', attempt_count = 1, cycle_attempt = 1,
				claim_token = $2, lease_until = now() + interval '1 minute'
			WHERE q.shard = 0 AND q.id = ANY($1)`, b.deliveries, b.token)
	})
}

// Complete closes them as delivered, with an attempt each.
func (b *Batch) Complete(ctx context.Context) error {
	return b.commit(ctx, "on", func(queued *pgx.Batch) {
		queued.Queue(`DELETE FROM malote.queue q WHERE q.shard = 0 AND q.id = ANY($1)`, b.deliveries)
		queued.Queue(`INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, trigger, attempt_count, last_status, closed_at)
			SELECT 0, r.id, $3, r.event_id, 'bench', 'delivered', 'schedule', 1, 204, now()
			FROM unnest($1::uuid[], $2::uuid[]) AS r (id, event_id)`, b.deliveries, b.events, b.cycles.endpoint)
		queued.Queue(`INSERT INTO malote.attempts (shard, delivery_id, claim_token, number, trigger, scheduled_at, started_at, duration_ms, response_status)
			SELECT 0, id, $2, 1, 'schedule', now(), now(), 1, 204 FROM unnest($1::uuid[]) id`, b.deliveries, b.token)
	})
}

// commit runs statements in one transaction and one round trip.
func (b *Batch) commit(ctx context.Context, synchronous string, queue func(*pgx.Batch)) error {
	batch := &pgx.Batch{}
	batch.Queue(`BEGIN`)
	batch.Queue(`SELECT set_config('synchronous_commit', $1, true)`, synchronous)
	queue(batch)
	batch.Queue(`COMMIT`)
	if err := b.cycles.store.Pool().SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("running the bare statements: %w", err)
	}
	return nil
}

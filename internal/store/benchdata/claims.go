package benchdata

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// Claims is a store whose endpoints all have three deliveries due, and one of them
// a backlog besides. The database makes the rows itself: a million through the
// front door would take longer than any measurement. They share a thousand events.
type Claims struct {
	store  *store.Store
	events []delivery.ID
}

// longest is the endpoint with the backlog. Its lane is always the first in line.
const longest = "https://hooks.example.com/1"

// eventBody is that of events that are never sent.
const eventBody = `convert_to(repeat('x', 480), 'UTF8')`

// events is how many events the deliveries share.
const events = 1000

// dueOfEach is how many deliveries are due of every endpoint.
const dueOfEach = 3

// FillClaims makes so many endpoints, on an empty schema of Malote's.
func FillClaims(ctx context.Context, s *store.Store, endpoints int) (*Claims, error) {
	c := &Claims{store: s, events: newEvents(0)}
	err := c.unhurried(ctx, func(run runner) error {
		if err := run(`INSERT INTO malote.tenants (shard, id) VALUES (0, 't')`); err != nil {
			return err
		}
		if err := run(`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, occurred_at, accepted_at)
			SELECT 0, id, 't', 'bench.event', 'application/json', `+eventBody+`, now(), now() FROM unnest($1::uuid[]) id`, c.events); err != nil {
			return err
		}
		if err := run(`INSERT INTO malote.endpoints (shard, id, tenant, url, policy)
			SELECT 0, gen_random_uuid(), 't', 'https://hooks.example.com/' || n, 'standard' FROM generate_series(1, $1::integer) n`, endpoints); err != nil {
			return err
		}
		if err := run(`INSERT INTO malote.endpoint_secrets (shard, id, endpoint_id, value)
			SELECT 0, gen_random_uuid(), e.id, 'whsec_x' FROM malote.endpoints e WHERE e.shard = 0`); err != nil {
			return err
		}
		return run(`INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, claim_limit, lease_seconds, ready_at)
			SELECT 0, e.id, CASE WHEN e.url = $1 THEN 'busy' ELSE 'calm' END, 4, 4, 60,
				now() - CASE WHEN e.url = $1 THEN interval '1 day' ELSE interval '0' END FROM malote.endpoints e WHERE e.shard = 0`, longest)
	})
	if err != nil {
		return nil, err
	}
	return c, c.addDue(ctx, dueOfEach, "calm", endpoints)
}

// addDue gives each of so many lanes so many due deliveries.
func (c *Claims) addDue(ctx context.Context, each int, tenant string, lanes int) error {
	if each*lanes >= bulky {
		return insertBulk(ctx, c.store.Pool(), addDueSQL, c.events, each, tenant)
	}
	return c.unhurried(ctx, func(run runner) error { return run(addDueSQL, c.events, each, tenant) })
}

// addDueSQL spreads them over the last hour. Their ids begin with their instant and
// they are stored one after another, as those that came through the front door.
const addDueSQL = `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
	SELECT 0, (substr(d.millisecond, 1, 8) || '-' || substr(d.millisecond, 9) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
		d.endpoint_id, ($1::uuid[])[1 + d.n % 1000], 't', 'pending', 'schedule', d.due, d.due
	FROM (SELECT c.endpoint_id, c.n, c.due, lpad(to_hex((extract(epoch FROM c.due) * 1000)::bigint), 12, '0') AS millisecond
		FROM (SELECT l.endpoint_id, n, now() - random() * interval '1 hour' AS due
			FROM malote.lanes l CROSS JOIN generate_series(1, $2::integer) n WHERE l.shard = 0 AND l.tenant = $3) c
		ORDER BY c.due) d`

// Grow adds deliveries to the backlog, and leaves the tables as vacuum does.
func (c *Claims) Grow(ctx context.Context, deliveries int) error {
	if err := c.addDue(ctx, deliveries, "busy", 1); err != nil {
		return err
	}
	return c.unhurried(ctx, func(run runner) error {
		return run(`VACUUM ANALYZE malote.queue, malote.lanes, malote.endpoints, malote.endpoint_secrets`)
	})
}

// PutBack undoes claims, so that the next one finds what the last one found.
func (c *Claims) PutBack(ctx context.Context, claims []*delivery.Claim) error {
	ids, endpoints := make([]delivery.ID, len(claims)), make([]delivery.ID, len(claims))
	for i, claim := range claims {
		ids[i], endpoints[i] = claim.DeliveryID, claim.Endpoint.ID
	}
	return c.unhurried(ctx, func(run runner) error {
		if err := run(`UPDATE malote.queue q SET status = 'pending', claim_token = NULL, lease_until = NULL
			WHERE q.shard = 0 AND q.id = ANY($1)`, ids); err != nil {
			return err
		}
		return run(`UPDATE malote.lanes l SET parked_full = false,
				ready_at = now() - CASE WHEN l.tenant = 'busy' THEN interval '1 day' ELSE interval '0' END
			WHERE l.shard = 0 AND l.endpoint_id = ANY($1)`, endpoints)
	})
}

// HasBacklog says whether one of the claims is of the endpoint with the backlog.
func HasBacklog(claims []*delivery.Claim) bool {
	for _, c := range claims {
		if c.Endpoint.URL == longest {
			return true
		}
	}
	return false
}

func (c *Claims) unhurried(ctx context.Context, do func(runner) error) error {
	return unhurried(ctx, c.store.Pool(), do)
}

// runner runs one statement.
type runner func(statement string, arguments ...any) error

// unhurried runs statements on a connection without a statement time-out; ctx
// alone bounds them.
func unhurried(ctx context.Context, pool *pgxpool.Pool, do func(runner) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connecting to the database: %w", err)
	}
	defer conn.Release()
	run := func(statement string, arguments ...any) error {
		if _, err := conn.Exec(ctx, statement, arguments...); err != nil {
			return fmt.Errorf("making data to measure with: %w", err)
		}
		return nil
	}
	if err := run(`SET statement_timeout = 0`); err != nil {
		return err
	}
	return do(run)
}

func newEvents(shard delivery.Shard) []delivery.ID {
	ids := make([]delivery.ID, events)
	for i := range ids {
		ids[i] = delivery.NewID(shard, time.Now(), rand.Reader)
	}
	return ids
}

package benchdata

import (
	"context"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

// FillBacklog gives the tenant's endpoints so many due deliveries together, each
// with the same body, and wakes their lanes. They can be sent and closed like any.
func FillBacklog(ctx context.Context, s *store.Store, tenant string, body []byte, deliveries int) error {
	shard := delivery.ShardOf(tenant)
	ids := newEvents(shard)
	return unhurried(ctx, s.Pool(), func(run runner) error {
		if err := run(`INSERT INTO malote.events (shard, id, tenant, type, content_type, body, occurred_at, accepted_at)
			SELECT $2, id, $3, 'bench.event', 'application/json', $4, now(), now() FROM unnest($1::uuid[]) id`, ids, shard, tenant, body); err != nil {
			return err
		}
		if err := run(backlogSQL, ids, shard, tenant, deliveries); err != nil {
			return err
		}
		if err := run(`VACUUM ANALYZE malote.queue`); err != nil {
			return err
		}
		return run(`UPDATE malote.lanes l SET ready_at = least(l.ready_at, now()) WHERE l.shard = $1 AND l.tenant = $2`, shard, tenant)
	})
}

// backlogSQL: a delivery's id has its event's time and shard (delivery.NewDeliveryID),
// and its own randomness in between.
const backlogSQL = `WITH lane AS MATERIALIZED (
		SELECT array_agg(l.endpoint_id) AS ids FROM malote.lanes l WHERE l.shard = $2 AND l.tenant = $3
	), event AS MATERIALIZED (
		SELECT $1::uuid[] AS ids
	)
	INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
	SELECT $2, (substr(e.id::text, 1, 19) || substr(gen_random_uuid()::text, 20, 14) || substr(e.id::text, 34))::uuid,
		lane.ids[1 + n % cardinality(lane.ids)], e.id, $3, 'pending', 'schedule', now(), now()
	FROM lane, event, generate_series(1, $4::integer) n
	CROSS JOIN LATERAL (SELECT event.ids[1 + n % cardinality(event.ids)] AS id) e`

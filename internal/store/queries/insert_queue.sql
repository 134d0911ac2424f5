-- New open deliveries. Only two pending deliveries of one entity can collide.
INSERT INTO malote.queue AS q (shard, id, endpoint_id, event_id, tenant, status, trigger, rendering,
    next_attempt_at, cycle_started_at, coalesce_key, fifo_position)
SELECT r.shard, r.id, r.endpoint_id, r.event_id, r.tenant, 'pending', r.trigger, r.rendering,
    now() + make_interval(secs => r.delay_ms / 1000.0), now(), r.coalesce_key, r.fifo_position
FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::smallint[], $7::bigint[], $8::text[],
    $9::text[], $10::bigint[])
    AS r (shard, id, endpoint_id, event_id, tenant, rendering, delay_ms, coalesce_key, trigger, fifo_position)
ON CONFLICT (shard, endpoint_id, coalesce_key) WHERE status = 'pending' AND coalesce_key IS NOT NULL DO NOTHING
RETURNING q.endpoint_id, q.coalesce_key

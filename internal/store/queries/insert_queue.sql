-- New open deliveries. Only two pending deliveries of one entity can collide. They
-- are inserted in the order given, which is the order of the locks; in strictly
-- ordered lanes their places are those of the drafts, a test's before all.
INSERT INTO malote.queue AS q (shard, id, endpoint_id, event_id, tenant, status, trigger, rendering,
    next_attempt_at, cycle_started_at, coalesce_key, fifo_position)
SELECT placed.shard, placed.id, placed.endpoint_id, placed.event_id, placed.tenant, 'pending', placed.trigger, placed.rendering,
    now() + make_interval(secs => placed.delay_ms / 1000.0), now(), placed.coalesce_key, placed.position
FROM (
    SELECT r.shard, r.id, r.endpoint_id, r.event_id, r.tenant, r.rendering, r.delay_ms, r.coalesce_key, r.trigger, r.turn,
        CASE WHEN r.fifo THEN CASE WHEN r.delay_ms < 0 THEN 0 ELSE nextval('malote.fifo_positions') END END AS position
    FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::smallint[], $7::bigint[], $8::text[],
        $9::text[], $10::boolean[], $11::integer[])
        WITH ORDINALITY AS r (shard, id, endpoint_id, event_id, tenant, rendering, delay_ms, coalesce_key, trigger, fifo, draft, turn)
    ORDER BY r.draft, r.turn
) placed
ORDER BY placed.turn
ON CONFLICT (shard, endpoint_id, coalesce_key) WHERE status = 'pending' AND coalesce_key IS NOT NULL DO NOTHING
RETURNING q.endpoint_id, q.coalesce_key

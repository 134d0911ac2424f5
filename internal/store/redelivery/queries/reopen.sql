-- A new cycle that begins now; the number of attempts goes on, and the body is
-- the one that was made at publish (D10). In a strictly ordered lane they take
-- their places in the order of their ids. They are inserted in the order in
-- which publishers insert: the unique index makes two transactions that put the
-- same entities wait for each other, in different orders for ever. Where a
-- publisher was first, its delivery is newer and stays (F13).
INSERT INTO malote.queue AS q (shard, id, endpoint_id, event_id, tenant, status, trigger, rendering,
    attempt_count, cycle_attempt, next_attempt_at, cycle_started_at, last_status, last_error, coalesce_key, fifo_position)
SELECT placed.shard, placed.id, placed.endpoint_id, placed.event_id, placed.tenant, 'pending', $3, placed.rendering,
    placed.attempt_count, 0, now(), now(), placed.last_status, placed.last_error, placed.coalesce_key, placed.fifo_position
FROM (
    SELECT again.shard, again.id, again.endpoint_id, again.event_id, again.tenant, again.rendering,
        again.attempt_count, again.last_status, again.last_error, again.coalesce_key,
        CASE WHEN again.is_ordered THEN nextval('malote.fifo_positions') END AS fifo_position
    FROM (
        SELECT one.shard, one.id, one.endpoint_id, one.event_id, one.tenant, one.rendering,
            one.attempt_count, one.last_status, one.last_error, one.coalesce_key, lane.is_ordered
        FROM unnest($2::uuid[]) AS wanted (id)
        CROSS JOIN LATERAL (
            SELECT d.shard, d.id, d.endpoint_id, d.event_id, d.tenant, d.rendering,
                d.attempt_count, d.last_status, d.last_error, d.coalesce_key
            FROM malote.deliveries d
            WHERE d.shard = $1 AND d.id = wanted.id AND d.id BETWEEN $4 AND $5
            LIMIT 1
        ) one
        CROSS JOIN LATERAL (
            SELECT l.fifo_since IS NOT NULL AS is_ordered
            FROM malote.lanes l
            WHERE l.shard = one.shard AND l.endpoint_id = one.endpoint_id
            LIMIT 1
        ) lane
        ORDER BY one.id
    ) again
) placed
ORDER BY placed.endpoint_id, placed.coalesce_key COLLATE "C"
ON CONFLICT (shard, endpoint_id, coalesce_key) WHERE status = 'pending' AND coalesce_key IS NOT NULL DO NOTHING
RETURNING q.id

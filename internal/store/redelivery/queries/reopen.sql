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
        SELECT d.shard, d.id, d.endpoint_id, d.event_id, d.tenant, d.rendering,
            d.attempt_count, d.last_status, d.last_error, d.coalesce_key, l.fifo_since IS NOT NULL AS is_ordered
        FROM malote.deliveries d
        JOIN malote.lanes l ON l.shard = d.shard AND l.endpoint_id = d.endpoint_id
        WHERE d.shard = $1 AND d.id = ANY ($2) AND d.id BETWEEN $4 AND $5
        ORDER BY d.id
    ) again
) placed
ORDER BY placed.endpoint_id, placed.coalesce_key COLLATE "C"
ON CONFLICT (shard, endpoint_id, coalesce_key) WHERE status = 'pending' AND coalesce_key IS NOT NULL DO NOTHING
RETURNING q.id

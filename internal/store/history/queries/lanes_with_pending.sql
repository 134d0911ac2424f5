-- A loose scan of queue_due: from each lane to the next one, however long they
-- are. It costs one look-up per shard and one per lane that has something.
WITH RECURSIVE lane (shard, endpoint_id) AS (
    SELECT s.shard::smallint, head.endpoint_id
    FROM generate_series(0, 1023) AS s (shard)
    CROSS JOIN LATERAL (
        SELECT q.endpoint_id
        FROM malote.queue q
        WHERE q.shard = s.shard AND q.status = 'pending'
        ORDER BY q.shard, q.endpoint_id
        LIMIT 1
    ) head
    UNION ALL
    SELECT lane.shard, following.endpoint_id
    FROM lane
    CROSS JOIN LATERAL (
        SELECT q.endpoint_id
        FROM malote.queue q
        WHERE q.shard = lane.shard AND q.endpoint_id > lane.endpoint_id AND q.status = 'pending'
        ORDER BY q.shard, q.endpoint_id
        LIMIT 1
    ) following
)
SELECT lane.endpoint_id
FROM lane

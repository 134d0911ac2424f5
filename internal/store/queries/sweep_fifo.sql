-- Deliveries without a place in lanes that became strictly ordered of late: what a
-- publisher committed who did not know it yet. They were published before all that
-- have a place from the sequence. A maintenance query over all shards.
WITH lane AS (
    SELECT l.shard, l.endpoint_id FROM malote.lanes l
    WHERE l.fifo_since > now() - interval '1 hour'
), late AS (
    SELECT unplaced.shard, unplaced.id, unplaced.position
    FROM lane
    CROSS JOIN LATERAL (
        SELECT q.shard, q.id, row_number() OVER (ORDER BY q.id) - (1::bigint << 40) AS position
        FROM malote.queue q
        WHERE q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id AND q.status = 'pending'
            AND q.fifo_position IS NULL
    ) unplaced
)
UPDATE malote.queue q
SET fifo_position = late.position
FROM late
WHERE q.shard = late.shard AND q.id = late.id AND q.fifo_position IS NULL

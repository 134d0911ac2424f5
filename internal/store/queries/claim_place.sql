-- Deliveries without a place in lanes that became strictly ordered a moment ago, now
-- locked: what was committed by publishers who did not know it yet. Those were
-- published before all that have a place from the sequence. No publisher's
-- transaction lives for as long as a lane counts as new.
WITH late AS (
    SELECT unplaced.shard, unplaced.id, unplaced.position
    FROM unnest($1::smallint[], $2::uuid[]) AS lane (shard, endpoint_id)
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

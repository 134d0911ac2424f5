-- Over all shards: the events of a day that an open delivery, a closed one that is
-- still there, or a key needs. Deliveries have their event's day.
WITH needed AS (
    SELECT open.shard, open.event_id
    FROM generate_series(0, 1023) AS s (shard)
    CROSS JOIN LATERAL (
        SELECT q.shard, q.event_id
        FROM malote.queue q
        WHERE q.shard = s.shard AND q.id >= '{from}' AND q.id < '{to}'
    ) open
    UNION
    SELECT d.shard, d.event_id
    FROM malote.deliveries d
    WHERE d.id >= '{from}' AND d.id < '{to}'
    UNION
    SELECT k.shard, k.event_id
    FROM unnest('{key_shards}'::smallint[], '{key_events}'::uuid[]) AS k (shard, event_id)
)

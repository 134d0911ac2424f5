-- The newest of each shard, and of those the newest.
SELECT found.id, found.tenant, found.kind, found.detail, found.endpoint_id, found.delivery_id, found.event_id,
    found.event_type, found.created_at
FROM generate_series(0, 1023) AS shards (shard)
CROSS JOIN LATERAL (
    SELECT s.id, s.tenant, s.kind, s.detail, s.endpoint_id, s.delivery_id, s.event_id, s.event_type, s.created_at
    FROM malote.signals s
    WHERE s.shard = shards.shard AND s.id >= $1 AND s.id < $2 AND ($3 = '' OR s.kind = $3)
    ORDER BY s.id DESC
    LIMIT $4
) found
ORDER BY found.id DESC
LIMIT $4

-- The last written of each shard, and of those the last.
SELECT found.id, found.source_id, found.tenant, found.reason, found.detail, found.count, found.first_at, found.last_at
FROM generate_series(0, 1023) AS shards (shard)
CROSS JOIN LATERAL (
    SELECT r.id, r.source_id, r.tenant, r.reason, r.detail, r.count, r.first_at, r.last_at
    FROM malote.rejections r
    WHERE r.shard = shards.shard AND r.id >= $1 AND r.id < $2 AND r.last_at >= $3
    ORDER BY r.id DESC
    LIMIT $4
) found
ORDER BY found.id DESC
LIMIT $4

-- Over all shards: rejections with ids below $1, at most $2.
WITH old AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM generate_series(0, 1023) AS shards (shard)
    CROSS JOIN LATERAL (
        SELECT r.shard, r.id
        FROM malote.rejections r
        WHERE r.shard = shards.shard AND r.id < $1
        ORDER BY r.id
        LIMIT $2
    ) found
    LIMIT $2
)
DELETE FROM malote.rejections r
USING old
WHERE r.shard = old.shard AND r.id = old.id

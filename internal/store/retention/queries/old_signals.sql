-- Over all shards: signals with ids below $1, at most $2.
WITH old AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM generate_series(0, 1023) AS shards (shard)
    CROSS JOIN LATERAL (
        SELECT s.shard, s.id
        FROM malote.signals s
        WHERE s.shard = shards.shard AND s.id < $1
        ORDER BY s.id
        LIMIT $2
    ) found
    LIMIT $2
)
DELETE FROM malote.signals s
USING old
WHERE s.shard = old.shard AND s.id = old.id

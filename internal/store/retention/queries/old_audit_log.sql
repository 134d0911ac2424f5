-- Over all shards: rows with ids below $1, at most $2.
WITH old AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM generate_series(0, 1023) AS shards (shard)
    CROSS JOIN LATERAL (
        SELECT a.shard, a.id
        FROM malote.audit_log a
        WHERE a.shard = shards.shard AND a.id < $1
        ORDER BY a.id
        LIMIT $2
    ) found
    LIMIT $2
)
DELETE FROM malote.audit_log a
USING old
WHERE a.shard = old.shard AND a.id = old.id

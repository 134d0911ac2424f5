-- Over all shards: what is closed and not dead, of some minutes, at most $3. Who replays one of
-- them at the same time has it locked, and removes it, or finds it gone.
WITH old AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM generate_series(0, 1023) AS s (shard)
    CROSS JOIN LATERAL (
        SELECT d.shard, d.id
        FROM malote.deliveries d
        WHERE d.shard = s.shard AND d.id >= $1 AND d.id < $2 AND d.state <> 'dead'
    ) found
    LIMIT $3
)
DELETE FROM malote.deliveries d
USING old
WHERE d.shard = old.shard AND d.id = old.id AND d.id >= $1 AND d.id < $2 AND d.state <> 'dead'

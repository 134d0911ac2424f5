-- Over all shards: hours before $1, at most $2, found by hopping from one source
-- to the next: no index begins with the hour.
WITH RECURSIVE source AS (
    (SELECT s.shard, s.source_id
     FROM malote.source_hours s
     ORDER BY s.shard, s.source_id LIMIT 1)
    UNION ALL
    SELECT hop.shard, hop.source_id
    FROM source
    CROSS JOIN LATERAL (
        SELECT s.shard, s.source_id
        FROM malote.source_hours s
        WHERE (s.shard, s.source_id) > (source.shard, source.source_id)
        ORDER BY s.shard, s.source_id LIMIT 1
    ) hop
), old AS MATERIALIZED (
    SELECT source.shard, source.source_id, hours.hour
    FROM source
    CROSS JOIN LATERAL (
        SELECT s.hour
        FROM malote.source_hours s
        WHERE s.shard = source.shard AND s.source_id = source.source_id AND s.hour < $1
        ORDER BY s.hour
        LIMIT $2
    ) hours
    LIMIT $2
)
DELETE FROM malote.source_hours s
USING old
WHERE s.shard = old.shard AND s.source_id = old.source_id AND s.hour = old.hour

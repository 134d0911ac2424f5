-- Over all shards: hours before $1, at most $2, found by hopping from one endpoint
-- to the next: no index begins with the hour.
WITH RECURSIVE lane AS (
    (SELECT s.shard, s.endpoint_id
     FROM malote.lane_stats s
     ORDER BY s.shard, s.endpoint_id LIMIT 1)
    UNION ALL
    SELECT hop.shard, hop.endpoint_id
    FROM lane
    CROSS JOIN LATERAL (
        SELECT s.shard, s.endpoint_id
        FROM malote.lane_stats s
        WHERE (s.shard, s.endpoint_id) > (lane.shard, lane.endpoint_id)
        ORDER BY s.shard, s.endpoint_id LIMIT 1
    ) hop
), old AS MATERIALIZED (
    SELECT lane.shard, lane.endpoint_id, hours.hour
    FROM lane
    CROSS JOIN LATERAL (
        SELECT s.hour
        FROM malote.lane_stats s
        WHERE s.shard = lane.shard AND s.endpoint_id = lane.endpoint_id AND s.hour < $1
        ORDER BY s.hour
        LIMIT $2
    ) hours
    LIMIT $2
)
DELETE FROM malote.lane_stats s
USING old
WHERE s.shard = old.shard AND s.endpoint_id = old.endpoint_id AND s.hour = old.hour

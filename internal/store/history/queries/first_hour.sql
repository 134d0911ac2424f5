-- Over all shards: the oldest hour that any lane has.
SELECT min(first.hour)
FROM malote.lanes l
CROSS JOIN LATERAL (
    SELECT s.hour
    FROM malote.lane_stats s
    WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id
    ORDER BY s.hour
    LIMIT 1
) first

-- Over all shards: one hour of all lanes, of which there is a row for every
-- endpoint that ever was: LIMIT keeps it a look-up for each. An hour in which nothing was sent has a row of zeros.
INSERT INTO malote.hour_stats (hour, ok, failed, total_ms, latency)
SELECT $1, coalesce(sum(s.ok), 0), coalesce(sum(s.failed), 0), coalesce(sum(s.total_ms), 0),
    ARRAY[coalesce(sum(s.le_10), 0), coalesce(sum(s.le_25), 0), coalesce(sum(s.le_50), 0), coalesce(sum(s.le_100), 0),
        coalesce(sum(s.le_250), 0), coalesce(sum(s.le_500), 0), coalesce(sum(s.le_1000), 0), coalesce(sum(s.le_2500), 0),
        coalesce(sum(s.le_5000), 0), coalesce(sum(s.le_10000), 0), coalesce(sum(s.le_inf), 0)]::bigint[]
FROM malote.lanes l
CROSS JOIN LATERAL (
    SELECT s.total_ms, s.ok, s.failed, s.le_10, s.le_25, s.le_50, s.le_100, s.le_250, s.le_500, s.le_1000, s.le_2500, s.le_5000, s.le_10000, s.le_inf
    FROM malote.lane_stats s
    WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id AND s.hour = $1
    LIMIT 1
) s
ON CONFLICT (hour) DO NOTHING

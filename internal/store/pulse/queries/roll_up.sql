-- Over all shards: one hour of all lanes, of which there is a row for every
-- endpoint that ever was. An hour in which nothing was sent has a row of zeros.
INSERT INTO malote.hour_stats (hour, ok, failed, total_ms, latency)
SELECT $1, coalesce(sum(s.ok), 0), coalesce(sum(s.failed), 0), coalesce(sum(s.total_ms), 0),
    ARRAY[coalesce(sum(s.le_10), 0), coalesce(sum(s.le_25), 0), coalesce(sum(s.le_50), 0), coalesce(sum(s.le_100), 0),
        coalesce(sum(s.le_250), 0), coalesce(sum(s.le_500), 0), coalesce(sum(s.le_1000), 0), coalesce(sum(s.le_2500), 0),
        coalesce(sum(s.le_5000), 0), coalesce(sum(s.le_10000), 0), coalesce(sum(s.le_inf), 0)]::bigint[]
FROM malote.lanes l
JOIN malote.lane_stats s ON s.shard = l.shard AND s.endpoint_id = l.endpoint_id AND s.hour = $1
ON CONFLICT (hour) DO NOTHING

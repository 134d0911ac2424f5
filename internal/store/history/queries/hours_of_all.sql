-- Over all shards: hours that nobody has summed up yet. All of it
-- is read: for many hours.
SELECT s.hour, sum(s.ok)::bigint, sum(s.failed)::bigint,
    ARRAY[sum(s.le_10), sum(s.le_25), sum(s.le_50), sum(s.le_100), sum(s.le_250), sum(s.le_500), sum(s.le_1000), sum(s.le_2500),
        sum(s.le_5000), sum(s.le_10000), sum(s.le_inf)]::bigint[]
FROM malote.lanes l
CROSS JOIN unnest($1::timestamptz[]) AS wanted (hour)
JOIN malote.lane_stats s ON s.shard = l.shard AND s.endpoint_id = l.endpoint_id AND s.hour = wanted.hour
GROUP BY s.hour

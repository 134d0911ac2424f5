-- Over all shards: hours that nobody has summed up yet. LIMIT
-- keeps it a look-up per lane and hour: for few hours.
SELECT wanted.hour, sum(s.ok)::bigint, sum(s.failed)::bigint,
    ARRAY[sum(s.le_10), sum(s.le_25), sum(s.le_50), sum(s.le_100), sum(s.le_250), sum(s.le_500), sum(s.le_1000), sum(s.le_2500),
        sum(s.le_5000), sum(s.le_10000), sum(s.le_inf)]::bigint[]
FROM malote.lanes l
CROSS JOIN unnest($1::timestamptz[]) AS wanted (hour)
CROSS JOIN LATERAL (
    SELECT s.ok, s.failed, s.le_10, s.le_25, s.le_50, s.le_100, s.le_250, s.le_500, s.le_1000, s.le_2500, s.le_5000, s.le_10000, s.le_inf
    FROM malote.lane_stats s
    WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id AND s.hour = wanted.hour
    LIMIT 1
) s
GROUP BY wanted.hour

SELECT s.hour, sum(s.ok)::bigint, sum(s.failed)::bigint,
    ARRAY[sum(s.le_10), sum(s.le_25), sum(s.le_50), sum(s.le_100), sum(s.le_250), sum(s.le_500), sum(s.le_1000), sum(s.le_2500),
        sum(s.le_5000), sum(s.le_10000), sum(s.le_inf)]::bigint[]
FROM malote.endpoints e
JOIN malote.lane_stats s ON s.shard = e.shard AND s.endpoint_id = e.id
WHERE e.shard = $1 AND e.tenant = $2 AND s.hour >= $3 AND s.hour < $4
GROUP BY s.hour

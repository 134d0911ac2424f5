-- Over all shards: the open deliveries of a day.
SELECT coalesce(sum(open.n), 0)::bigint
FROM generate_series(0, 1023) AS s (shard)
CROSS JOIN LATERAL (
    SELECT count(*) AS n
    FROM malote.queue q
    WHERE q.shard = s.shard AND q.id >= $1 AND q.id < $2
) open

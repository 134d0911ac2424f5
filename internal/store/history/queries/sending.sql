-- All that is in flight: never more than the lanes' limits together.
SELECT coalesce(sum(flying.n), 0)::bigint
FROM generate_series(0, 1023) AS s (shard)
CROSS JOIN LATERAL (
    SELECT count(*) AS n
    FROM malote.queue q
    WHERE q.shard = s.shard AND q.status = 'sending'
) flying

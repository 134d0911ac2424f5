-- Over all shards: tenants with deliveries that have been dead for over 24 hours,
-- who were not told so in that time. A test that failed is told to who asked for it.
WITH due AS MATERIALIZED (
    SELECT t.shard, t.id
    FROM malote.tenants t
    WHERE NOT EXISTS (
        SELECT 1 FROM malote.signals told
        WHERE told.shard = t.shard AND told.tenant = t.id AND told.kind = 'dead_unattended'
            AND told.created_at > now() - interval '24 hours')
)
SELECT due.shard, due.id, old.n, old.oldest_at, old.oldest
FROM due
CROSS JOIN LATERAL (
    SELECT count(*) AS n, min(d.closed_at) AS oldest_at, (array_agg(d.id ORDER BY d.closed_at, d.id))[1] AS oldest
    FROM malote.deliveries d
    WHERE d.shard = due.shard AND d.tenant = due.id AND d.state = 'dead' AND d.trigger <> 'test'
        AND d.closed_at <= now() - interval '24 hours'
) old
WHERE old.n > 0

-- Over all shards: tenants of whose deliveries more than ten entered the DLQ
-- within the last hour, and who were not told so in that time.
WITH counted AS MATERIALIZED (
    SELECT s.shard, s.tenant, count(*) AS n, min(s.created_at) AS first_at
    FROM malote.signals s
    WHERE s.kind = 'delivery_dead' AND s.created_at > now() - interval '1 hour'
    GROUP BY s.shard, s.tenant
    HAVING count(*) > 10
)
SELECT c.shard, c.tenant, c.n, c.first_at, NULL::uuid
FROM counted c
WHERE NOT EXISTS (
    SELECT 1 FROM malote.signals told
    WHERE told.shard = c.shard AND told.tenant = c.tenant AND told.kind = 'many_failures'
        AND told.created_at > now() - interval '1 hour')

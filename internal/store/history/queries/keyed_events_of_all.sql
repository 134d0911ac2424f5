-- Over all shards: what a live idempotency key names, a look-up for each tenant and
-- each source.
SELECT found.id
FROM (
    SELECT k.id
    FROM malote.tenants t
    JOIN malote.event_keys k ON k.shard = t.shard AND k.scope = 'publish:' || t.id AND k.key = $1
    UNION ALL
    SELECT k.id
    FROM malote.sources s
    JOIN malote.event_keys k ON k.shard = s.shard AND k.scope = 'source:' || s.id::text AND k.key = $1
) found
LIMIT $2

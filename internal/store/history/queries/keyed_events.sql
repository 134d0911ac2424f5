-- What a live idempotency key names: of the tenant's own publishes, and of what
-- came in by each of its sources.
SELECT k.id
FROM malote.event_keys k
WHERE k.shard = $1 AND k.scope = $3 AND k.key = $4
UNION ALL
SELECT k.id
FROM malote.sources s
JOIN malote.event_keys k ON k.shard = s.shard AND k.scope = 'source:' || s.id::text AND k.key = $4
WHERE s.shard = $1 AND s.tenant = $2

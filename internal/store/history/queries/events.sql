-- One page, oldest first, in the order of events_of_tenant.
SELECT e.id, e.tenant, e.type, e.content_type, coalesce(e.idempotency_key, ''), coalesce(e.coalesce_key, ''),
    coalesce(e.entity_version, ''), coalesce(e.external_id, ''), e.occurred_at, e.accepted_at, e.source_id, e.headers
FROM malote.events e
WHERE e.shard = $1 AND e.tenant = $2 AND e.id >= $3 AND e.id < $4 AND ($5 = '' OR e.type = $5)
ORDER BY e.id
LIMIT $6

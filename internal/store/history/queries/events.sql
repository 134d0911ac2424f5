-- One page, oldest first, in the order of events_of_tenant, or of
-- events_by_external_id or events_of_source, where their filter is given.
SELECT e.id, e.tenant, e.type, e.content_type, coalesce(e.idempotency_key, ''), coalesce(e.coalesce_key, ''),
    coalesce(e.entity_version, ''), coalesce(e.external_id, ''), e.occurred_at, e.accepted_at, e.source_id, e.headers
FROM malote.events e
WHERE e.shard = $1 AND e.tenant = $2 AND e.id >= $3 AND e.id < $4 AND ($5 = '' OR e.type = $5)
    AND ($6::uuid IS NULL OR e.source_id = $6) AND ($7 = '' OR e.external_id = $7) AND ($8 = '' OR e.idempotency_key = $8)
ORDER BY e.id
LIMIT $9

-- A tenant's signals that it was not mailed of, the oldest first. The windows'
-- rows are locked: nobody else tells of them meanwhile.
SELECT s.id, s.tenant, s.kind, s.subject, s.detail, s.endpoint_id, s.delivery_id, s.event_id, s.event_type, s.created_at
FROM malote.signals s
WHERE s.shard = $3 AND s.tenant = $4 AND s.mailed_at IS NULL AND s.kind = ANY($1)
    AND s.kind IN ('delivery_dead', 'endpoint_failing', 'endpoint_disabled')
ORDER BY s.created_at, s.id
LIMIT $2

SELECT s.id, s.tenant, s.kind, s.detail, s.endpoint_id, s.delivery_id, s.event_id, s.event_type, s.created_at
FROM malote.signals s
WHERE s.shard = $5 AND s.endpoint_id = $6 AND s.id >= $1 AND s.id < $2 AND ($3 = '' OR s.kind = $3)
    AND ($7 = '' OR s.tenant = $7)
ORDER BY s.id DESC
LIMIT $4

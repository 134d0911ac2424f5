-- Deliveries that end without an attempt; the caller holds their locks.
INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, reason, trigger,
    rendering, attempt_count, last_status, last_error, coalesce_key, superseded_by, closed_at)
SELECT q.shard, q.id, q.endpoint_id, q.event_id, q.tenant, $4, $5, q.trigger,
    q.rendering, q.attempt_count, q.last_status, q.last_error, q.coalesce_key, ended.superseded_by, now()
FROM unnest($2::uuid[], $3::uuid[]) AS ended (id, superseded_by)
JOIN malote.queue q ON q.shard = $1 AND q.id = ended.id
WHERE q.status = 'pending'

-- Deliveries that end without an attempt; the caller holds their locks. Looked up
-- one by one: see pick_pending.sql.
INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, reason, trigger,
    rendering, attempt_count, last_status, last_error, coalesce_key, superseded_by, closed_at)
SELECT pending.shard, pending.id, pending.endpoint_id, pending.event_id, pending.tenant, $4, $5, pending.trigger,
    pending.rendering, pending.attempt_count, pending.last_status, pending.last_error, pending.coalesce_key,
    ended.superseded_by, now()
FROM unnest($2::uuid[], $3::uuid[]) AS ended (id, superseded_by)
CROSS JOIN LATERAL (
    SELECT q.shard, q.id, q.endpoint_id, q.event_id, q.tenant, q.trigger,
        q.rendering, q.attempt_count, q.last_status, q.last_error, q.coalesce_key
    FROM malote.queue q
    WHERE q.shard = $1 AND q.id = ended.id AND q.claim_token IS NULL
    LIMIT 1
) pending

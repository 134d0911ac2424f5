-- A new cycle that begins now; the number of attempts goes on, and the body is
-- the one that was made at publish (D10).
INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, rendering,
    attempt_count, cycle_attempt, next_attempt_at, cycle_started_at, last_status, last_error, coalesce_key)
SELECT d.shard, d.id, d.endpoint_id, d.event_id, d.tenant, 'pending', $3, d.rendering,
    d.attempt_count, 0, now(), now(), d.last_status, d.last_error, d.coalesce_key
FROM malote.deliveries d
WHERE d.shard = $1 AND d.id = ANY ($2)
ORDER BY d.id

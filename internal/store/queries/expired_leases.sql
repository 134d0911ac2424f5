-- The index holds only what is in flight, which is little: it is read whole, over
-- all shards.
SELECT now(), q.claim_token, 0, 0, 0, q.endpoint_id, q.id, q.attempt_count, q.cycle_attempt, q.trigger,
    q.next_attempt_at, q.cycle_started_at, q.cycle_first_attempt_at, now(), q.lease_until,
    q.event_id, q.tenant, coalesce(q.coalesce_key, ''), q.rendering
FROM malote.queue q
WHERE q.status = 'sending' AND q.lease_until < now()
ORDER BY q.lease_until
LIMIT $1

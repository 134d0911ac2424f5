-- The index holds only what is in flight, which is little: it is read whole.
SELECT now(), q.claim_token, q.endpoint_id, q.id, q.attempt_count, q.cycle_attempt, q.trigger,
    q.next_attempt_at, q.cycle_started_at, q.cycle_first_attempt_at, now(), q.lease_until,
    e.id, e.tenant, e.type, e.content_type, ''::bytea,
    coalesce(e.coalesce_key, ''), e.occurred_at, e.accepted_at
FROM malote.queue q
JOIN malote.events e ON e.shard = q.shard AND e.id = q.event_id
WHERE q.status = 'sending' AND q.lease_until < now()
ORDER BY q.lease_until
LIMIT $1

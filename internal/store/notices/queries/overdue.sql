-- Over all shards: for how long the oldest delivery has been due that could be sent
-- now, but for want of somebody who does: its lane is ready, and its endpoint well.
-- A lane that is full, paused or over its rate is not ready.
SELECT coalesce(extract(epoch FROM now() - min(head.next_attempt_at)), 0)::float8
FROM malote.lanes l
CROSS JOIN LATERAL (
    SELECT q.next_attempt_at
    FROM malote.queue q
    WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
    ORDER BY q.next_attempt_at, q.id
    LIMIT 1
) head
WHERE l.ready_at <= now() AND l.status = 'active' AND l.consecutive_failures = 0 AND head.next_attempt_at <= now()

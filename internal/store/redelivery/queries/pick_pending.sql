-- The next of what was pending on a lane at an instant, locked in the order of
-- their ids.
SELECT q.id
FROM malote.queue q
WHERE q.shard = $1 AND q.status = 'pending' AND q.id IN (
    SELECT due.id
    FROM malote.queue due
    WHERE due.shard = $1 AND due.endpoint_id = $2 AND due.status = 'pending' AND due.cycle_started_at <= $3
    ORDER BY due.next_attempt_at, due.id
    LIMIT $4)
ORDER BY q.id
FOR UPDATE

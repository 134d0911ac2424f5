-- The next of what was pending on a lane at an instant, locked in the order of
-- their ids. Picked first and then looked up one by one, so that a batch costs as
-- much as it takes, whatever the planner believes of the queue: the lane is locked
-- meanwhile. To have no claim token is to be pending, but no reason to use the index
-- of pending ones, which does not know the id alone.
WITH due AS MATERIALIZED (
    SELECT p.shard, p.id
    FROM malote.queue p
    WHERE p.shard = $1 AND p.endpoint_id = $2 AND p.status = 'pending' AND p.cycle_started_at <= $3
    ORDER BY p.next_attempt_at, p.id
    LIMIT $4
)
SELECT locked.id
FROM (SELECT due.shard, due.id FROM due ORDER BY due.id) picked
CROSS JOIN LATERAL (
    SELECT q.id
    FROM malote.queue q
    WHERE q.shard = picked.shard AND q.id = picked.id AND q.claim_token IS NULL
    LIMIT 1
    FOR UPDATE OF q
) locked

-- Every lane with pending work, found by hopping over the index from one lane
-- to the next, that has been due for over three seconds and is not ready: parked
-- as empty, or parked as full with nothing (or too little) in flight. Within three
-- seconds a publisher that lives has woken the lanes of what it committed. The
-- sweep runs over all shards: a maintenance query, not a claim. LATERAL and LIMIT
-- keep it to the lanes that it came by, whatever the planner believes of them.
WITH RECURSIVE busy AS (
    (SELECT q.shard, q.endpoint_id FROM malote.queue q
     WHERE q.status = 'pending' ORDER BY q.shard, q.endpoint_id LIMIT 1)
    UNION ALL
    SELECT hop.shard, hop.endpoint_id
    FROM busy
    CROSS JOIN LATERAL (
        SELECT q.shard, q.endpoint_id FROM malote.queue q
        WHERE q.status = 'pending' AND (q.shard, q.endpoint_id) > (busy.shard, busy.endpoint_id)
        ORDER BY q.shard, q.endpoint_id LIMIT 1
    ) hop
), asleep AS MATERIALIZED (
    SELECT busy.shard, busy.endpoint_id
    FROM busy
    CROSS JOIN LATERAL (
        SELECT 1 FROM malote.lanes l
        WHERE l.shard = busy.shard AND l.endpoint_id = busy.endpoint_id
            AND l.status = 'active' AND l.ready_at > greatest(now(), l.paused_until, l.rate_ready_at)
            AND least(l.claim_limit, CASE WHEN l.standing = 'unheard' THEN $1::integer END, CASE WHEN l.fifo_since IS NOT NULL THEN 1 END) > (
                SELECT count(*) FROM malote.queue s
                WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id AND s.status = 'sending')
            AND CASE WHEN l.fifo_since IS NULL THEN EXISTS (
                SELECT 1 FROM malote.queue q
                WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
                    AND q.next_attempt_at < now() - interval '3 seconds'
                    AND (q.coalesce_key IS NULL OR NOT EXISTS (
                        SELECT 1 FROM malote.queue s
                        WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id
                            AND s.coalesce_key = q.coalesce_key AND s.status = 'sending')))
            ELSE now() - interval '3 seconds' > (
                SELECT q.next_attempt_at FROM malote.queue q
                WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
                    AND q.fifo_position IS NOT NULL
                ORDER BY q.fifo_position, q.id LIMIT 1)
            END
        LIMIT 1
    ) lane
    ORDER BY busy.shard, busy.endpoint_id
), stranded AS (
    SELECT lane.shard, lane.endpoint_id
    FROM asleep
    CROSS JOIN LATERAL (
        SELECT l.shard, l.endpoint_id FROM malote.lanes l
        WHERE l.shard = asleep.shard AND l.endpoint_id = asleep.endpoint_id
            AND l.status = 'active' AND l.ready_at > greatest(now(), l.paused_until, l.rate_ready_at)
        LIMIT 1
        FOR UPDATE OF l
    ) lane
)
UPDATE malote.lanes l
SET ready_at = greatest(now(), l.paused_until, l.rate_ready_at), parked_full = false
FROM stranded
WHERE l.shard = stranded.shard AND l.endpoint_id = stranded.endpoint_id

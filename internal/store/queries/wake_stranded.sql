-- Lanes that a claim parked, of which some have work that came meanwhile.
WITH stranded AS (
    SELECT l.shard, l.endpoint_id, greatest(now(), l.paused_until, l.rate_ready_at) AS ready_at
    FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, endpoint_id)
    JOIN malote.lanes l ON l.shard = wanted.shard AND l.endpoint_id = wanted.endpoint_id
    WHERE l.status = 'active' AND NOT l.parked_full AND l.ready_at > greatest(now(), l.paused_until, l.rate_ready_at)
        AND CASE WHEN l.fifo_since IS NULL THEN EXISTS (
            SELECT 1 FROM malote.queue q
            WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
                AND q.next_attempt_at < l.ready_at
                AND (q.coalesce_key IS NULL OR NOT EXISTS (
                    SELECT 1 FROM malote.queue s
                    WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id
                        AND s.coalesce_key = q.coalesce_key AND s.status = 'sending')))
        ELSE l.ready_at > (
            SELECT q.next_attempt_at FROM malote.queue q
            WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
                AND q.fifo_position IS NOT NULL
            ORDER BY q.fifo_position, q.id LIMIT 1)
        END
    ORDER BY l.shard, l.endpoint_id
    FOR UPDATE OF l
), woken AS (
    UPDATE malote.lanes l
    SET ready_at = stranded.ready_at
    FROM stranded
    WHERE l.shard = stranded.shard AND l.endpoint_id = stranded.endpoint_id
    RETURNING l.endpoint_id
)
SELECT count(*)::integer FROM woken

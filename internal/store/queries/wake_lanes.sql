-- Lanes with new work, of which some look parked. The lock orders this against
-- claims and completions; the condition is evaluated on the row as it is then.
WITH parked AS (
    SELECT l.shard, l.endpoint_id, greatest(now(), l.paused_until, l.rate_ready_at) AS ready_at
    FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, endpoint_id)
    JOIN malote.lanes l ON l.shard = wanted.shard AND l.endpoint_id = wanted.endpoint_id
    WHERE l.status = 'active' AND NOT l.parked_full AND l.ready_at > greatest(now(), l.paused_until, l.rate_ready_at)
    ORDER BY l.shard, l.endpoint_id
    FOR UPDATE OF l
), woken AS (
    UPDATE malote.lanes l
    SET ready_at = parked.ready_at
    FROM parked
    WHERE l.shard = parked.shard AND l.endpoint_id = parked.endpoint_id
    RETURNING l.endpoint_id
)
SELECT count(*)::integer FROM woken

-- Where the lanes of a claim stand after it, as a new snapshot sees it: full
-- (only a completion wakes them), ready again (to the back of the line), or
-- without due work until some time, or until a publisher wakes them.
WITH lane AS (
    SELECT w.shard, w.endpoint_id, w.claim_limit,
        w.claim_limit - (
            SELECT count(*) FROM malote.queue s
            WHERE s.shard = w.shard AND s.endpoint_id = w.endpoint_id AND s.status = 'sending'
        ) AS free
    FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS w (shard, endpoint_id, claim_limit)
), next AS (
    SELECT lane.shard, lane.endpoint_id, lane.free <= 0 AND lane.claim_limit > 0 AS is_full,
        CASE WHEN lane.free <= 0 THEN 'infinity'::timestamptz
        ELSE coalesce((
            SELECT greatest(now(), q.next_attempt_at) FROM malote.queue q
            WHERE q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id AND q.status = 'pending'
                AND (q.coalesce_key IS NULL OR NOT EXISTS (
                    SELECT 1 FROM malote.queue s
                    WHERE s.shard = lane.shard AND s.endpoint_id = lane.endpoint_id
                        AND s.coalesce_key = q.coalesce_key AND s.status = 'sending'))
            ORDER BY q.next_attempt_at, q.id
            LIMIT 1
        ), 'infinity'::timestamptz) END AS ready_at
    FROM lane
)
UPDATE malote.lanes l
SET ready_at = next.ready_at, parked_full = next.is_full
FROM next
WHERE l.shard = next.shard AND l.endpoint_id = next.endpoint_id
RETURNING l.shard, l.endpoint_id, l.ready_at > now() AND NOT l.parked_full AND l.status = 'active'

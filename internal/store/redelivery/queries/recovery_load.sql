-- What decides how much more a recovery may queue: how the lane is sent to, and
-- how many recovered deliveries wait on it, those that wait for a retry included.
SELECT l.status, l.claim_limit, l.rate_limit, coalesce((
        SELECT sum(s.total_ms)::double precision / nullif(sum(s.ok + s.failed), 0)
        FROM malote.lane_stats s
        WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id AND s.hour > now() - interval '2 hours'), 0),
    recovered.pending, recovered.due
FROM malote.lanes l
CROSS JOIN LATERAL (
    SELECT count(*) AS pending, count(*) FILTER (WHERE waiting.next_attempt_at <= now()) AS due
    FROM (
        SELECT q.next_attempt_at
        FROM malote.queue q
        WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending' AND q.trigger = 'recover'
        LIMIT $3
    ) waiting
) recovered
WHERE l.shard = $1 AND l.endpoint_id = $2

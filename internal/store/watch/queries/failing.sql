-- Over all shards: lanes that fail at present, longest first, after a position.
SELECT l.first_failure_at, l.shard, l.endpoint_id, l.tenant, e.policy, l.consecutive_failures,
    l.last_failure_at, l.paused_until, l.warned_level, l.disabled_at, now()
FROM malote.lanes l
JOIN malote.endpoints e ON e.shard = l.shard AND e.id = l.endpoint_id
WHERE l.first_failure_at IS NOT NULL AND l.status = 'active' AND l.first_failure_at >= $1
    AND (l.first_failure_at, l.shard, l.endpoint_id) > ($1, $2, $3)
ORDER BY l.first_failure_at, l.shard, l.endpoint_id
LIMIT $4

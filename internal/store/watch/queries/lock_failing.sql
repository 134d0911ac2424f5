-- Some of them again, now locked in the order that all use.
SELECT l.first_failure_at, l.shard, l.endpoint_id, l.tenant, e.policy, l.consecutive_failures,
    l.last_failure_at, l.paused_until, l.warned_level, l.disabled_at, now()
FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, endpoint_id)
JOIN malote.lanes l ON l.shard = wanted.shard AND l.endpoint_id = wanted.endpoint_id
JOIN malote.endpoints e ON e.shard = l.shard AND e.id = l.endpoint_id
WHERE l.first_failure_at IS NOT NULL AND l.status = 'active'
ORDER BY l.shard, l.endpoint_id
FOR UPDATE OF l

-- The lanes that have waited longest, each locked for this transaction. On
-- Citus the placeholder becomes a condition on the shard and a claim runs once
-- per shard; here one claim covers all.
SELECT l.shard, l.endpoint_id,
    CASE WHEN l.status = 'active' THEN l.claim_limit ELSE 0 END, l.lease_seconds, l.config_version
FROM malote.lanes l
WHERE /*{shard l}*/ l.ready_at <= now() AND l.ready_at < 'infinity' -- as the index says
ORDER BY l.ready_at
LIMIT $1
FOR UPDATE OF l SKIP LOCKED

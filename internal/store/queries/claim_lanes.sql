-- The lanes that have waited longest, each locked for this transaction; trusted
-- ones only, or without some, if so wished. On Citus the placeholder becomes a
-- condition on the shard and a claim runs once per shard; here one claim covers
-- all. The rate's allowance is a bucket of rate_burst, filled at rate_limit a
-- second; rate_ready_at is when it holds one again.
SELECT now(), l.shard, l.endpoint_id,
    CASE WHEN l.status <> 'active' THEN 0
        WHEN l.fifo_since IS NOT NULL THEN least(l.claim_limit, 1)
        ELSE l.claim_limit END,
    l.lease_seconds, l.config_version, l.suspect, l.fifo_since IS NOT NULL, l.weight, least(l.turn_left, l.weight),
    l.ready_at, l.rate_limit, l.rate_burst, l.rate_ready_at,
    CASE WHEN l.rate_limit = 0 THEN l.claim_limit
        WHEN l.rate_ready_at > now() THEN 0
        WHEN l.rate_ready_at IS NULL THEN l.rate_burst
        ELSE least(l.rate_burst, 1 + floor(least(1e6, extract(epoch FROM now() - l.rate_ready_at)) * l.rate_limit))::integer END,
    coalesce(l.fifo_since > now() - interval '2 minutes', false)
FROM malote.lanes l
WHERE /*{shard l}*/ l.ready_at <= now() AND l.ready_at < 'infinity' -- as the index says
    AND (NOT $2::boolean OR NOT l.suspect)
    AND NOT l.endpoint_id = ANY($3::uuid[])
ORDER BY l.ready_at
LIMIT $1
FOR UPDATE OF l SKIP LOCKED

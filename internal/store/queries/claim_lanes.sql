-- The lanes that have waited longest, each locked for this transaction; trusted
-- ones only, or without some, if so wished. On Citus the placeholder becomes a
-- condition on the shard and a claim runs once per shard; here one claim covers
-- all.
SELECT now(), l.shard, l.endpoint_id,
    CASE WHEN l.status = 'active' THEN l.claim_limit ELSE 0 END, l.lease_seconds, l.config_version, l.suspect
FROM malote.lanes l
WHERE /*{shard l}*/ l.ready_at <= now() AND l.ready_at < 'infinity' -- as the index says
    AND (NOT $2::boolean OR NOT l.suspect)
    AND NOT l.endpoint_id = ANY($3::uuid[])
ORDER BY l.ready_at
LIMIT $1
FOR UPDATE OF l SKIP LOCKED

-- Over all shards: tenants that have not been mailed of some kind of signal, and
-- whose window is over: at most $2.
SELECT s.tenant, s.kind
FROM malote.signals s
LEFT JOIN malote.notice_windows w ON w.shard = s.shard AND w.tenant = s.tenant AND w.kind = s.kind
WHERE s.mailed_at IS NULL AND s.kind IN ('delivery_dead', 'endpoint_failing', 'endpoint_disabled')
    AND (w.last_at IS NULL OR w.last_at <= now() - make_interval(secs => $1))
GROUP BY s.tenant, s.kind
ORDER BY min(s.created_at)
LIMIT $2

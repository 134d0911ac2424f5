-- Over all shards: only an administrator asks.
SELECT g.source_id, s.tenant, g.position, g.checked_at, g.found, g.failed_at, g.last_error
FROM malote.gap_repairs g
JOIN malote.sources s ON s.shard = g.shard AND s.id = g.source_id
WHERE g.source_id > $1 AND s.deleted_at IS NULL
ORDER BY g.source_id
LIMIT $2

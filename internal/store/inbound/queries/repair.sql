SELECT g.source_id, s.tenant, g.position, g.checked_at, g.found, g.failed_at, g.last_error
FROM malote.gap_repairs g
JOIN malote.sources s ON s.shard = g.shard AND s.id = g.source_id
WHERE g.shard = $1 AND g.source_id = $2 AND s.deleted_at IS NULL

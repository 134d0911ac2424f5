SELECT g.source_id, s.tenant, g.position, g.checked_at, g.found, g.failed_at, g.last_error
FROM malote.sources s
JOIN malote.gap_repairs g ON g.shard = s.shard AND g.source_id = s.id
WHERE s.shard = $3 AND s.tenant = $4 AND s.id > $1 AND s.deleted_at IS NULL
ORDER BY g.source_id
LIMIT $2

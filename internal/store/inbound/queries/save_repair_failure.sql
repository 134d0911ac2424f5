INSERT INTO malote.gap_repairs AS g (shard, source_id, failed_at, last_error)
SELECT s.shard, s.id, $3, $4
FROM malote.sources s
WHERE s.shard = $1 AND s.id = $2 AND s.deleted_at IS NULL
ON CONFLICT (shard, source_id) DO UPDATE
SET failed_at = excluded.failed_at, last_error = excluded.last_error

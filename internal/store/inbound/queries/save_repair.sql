-- Nothing for a source that is not there. One that is deleted at this very moment
-- may leave a row that nobody reads, until its tenant goes.
INSERT INTO malote.gap_repairs AS g (shard, source_id, position, checked_at, found, failed_at, last_error)
SELECT s.shard, s.id, $3, $4, $5, $6, $7
FROM malote.sources s
WHERE s.shard = $1 AND s.id = $2 AND s.deleted_at IS NULL
ON CONFLICT (shard, source_id) DO UPDATE
SET position = excluded.position, checked_at = excluded.checked_at, found = g.found + excluded.found,
    failed_at = excluded.failed_at, last_error = excluded.last_error

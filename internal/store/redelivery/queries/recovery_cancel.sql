-- Waits for the batch that is being done.
UPDATE malote.recoveries r
SET status = 'cancelled', updated_at = now(), finished_at = now()
WHERE r.shard = $1 AND r.id = $2 AND r.status = 'running'

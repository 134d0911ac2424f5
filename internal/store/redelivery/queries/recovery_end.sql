-- From running to an end.
UPDATE malote.recoveries r
SET status = $3, detail = $4, updated_at = now(), finished_at = now()
WHERE r.shard = $1 AND r.id = $2 AND r.status = 'running'

-- An endpoint has one running recovery at most.
SELECT r.id
FROM malote.recoveries r
WHERE r.shard = $1 AND r.endpoint_id = $2 AND r.status = 'running'
LIMIT 1

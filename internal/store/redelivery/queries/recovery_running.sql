-- The running ones of all shards, of which the one that waits longest comes first.
SELECT r.id
FROM malote.recoveries r
WHERE r.status = 'running'
ORDER BY r.updated_at, r.id

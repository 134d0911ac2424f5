UPDATE malote.recoveries r
SET position = $3, recovered = $4, passed_over = $5, updated_at = now()
WHERE r.shard = $1 AND r.id = $2

UPDATE malote.deliveries d
SET state = 'resolved', reason = $3, resolution = $4, closed_at = now()
WHERE d.shard = $1 AND d.id = $2 AND d.state = 'dead'

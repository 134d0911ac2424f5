SELECT count(*)
FROM malote.deliveries d
WHERE d.shard = $1 AND d.endpoint_id = $2 AND d.id > $3 AND d.id < $4 AND d.state = ANY ($5)

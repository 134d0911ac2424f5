DELETE FROM malote.deliveries d
WHERE d.shard = $1 AND d.id = ANY ($2) AND d.id BETWEEN $3 AND $4

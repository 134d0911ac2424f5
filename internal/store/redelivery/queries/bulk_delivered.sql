-- What of each entity arrived last, after a delivery.
SELECT DISTINCT ON (d.coalesce_key) d.coalesce_key, d.id
FROM malote.deliveries d
WHERE d.shard = $1 AND d.endpoint_id = $2 AND d.id > $3
    AND d.state = 'delivered' AND d.coalesce_key IS NOT NULL AND d.coalesce_key = ANY ($4)
ORDER BY d.coalesce_key, d.id DESC

-- What of each entity was delivered after the oldest of the candidates.
SELECT DISTINCT ON (d.endpoint_id, d.coalesce_key) d.endpoint_id, d.coalesce_key, d.id
FROM unnest($2::uuid[], $3::text[]) AS entity (endpoint_id, coalesce_key)
JOIN malote.deliveries d ON d.endpoint_id = entity.endpoint_id AND d.coalesce_key = entity.coalesce_key
WHERE d.shard = $1 AND d.state = 'delivered' AND d.coalesce_key IS NOT NULL AND d.id > $4
ORDER BY d.endpoint_id, d.coalesce_key, d.id DESC

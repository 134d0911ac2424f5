-- What of each entity was delivered last, after the oldest of the candidates.
SELECT entity.endpoint_id, entity.coalesce_key, newest.id
FROM unnest($2::uuid[], $3::text[]) AS entity (endpoint_id, coalesce_key)
CROSS JOIN LATERAL (
    SELECT d.id
    FROM malote.deliveries d
    WHERE d.shard = $1 AND d.endpoint_id = entity.endpoint_id AND d.coalesce_key = entity.coalesce_key
        AND d.state = 'delivered' AND d.coalesce_key IS NOT NULL AND d.id > $4
    ORDER BY d.id DESC
    LIMIT 1
) newest

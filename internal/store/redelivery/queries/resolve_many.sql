-- Those of $2 that are dead, and tenant $5's ('': anybody's).
UPDATE malote.deliveries d
SET state = 'resolved', reason = $3, resolution = $4, closed_at = now()
WHERE d.shard = $1 AND d.id = ANY ($2) AND d.state = 'dead' AND ($5 = '' OR d.tenant = $5)
RETURNING d.id, d.tenant

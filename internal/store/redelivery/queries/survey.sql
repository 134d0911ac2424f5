-- Where deliveries are, open or closed, as one snapshot sees them.
SELECT d.id, d.state, d.tenant, d.event_id, d.endpoint_id, coalesce(d.coalesce_key, ''), coalesce(e.policy, '')
FROM malote.deliveries d
LEFT JOIN malote.endpoints e ON e.shard = d.shard AND e.id = d.endpoint_id
WHERE d.shard = $1 AND d.id = ANY ($2)
UNION ALL
SELECT q.id, q.status, q.tenant, q.event_id, q.endpoint_id, coalesce(q.coalesce_key, ''), ''
FROM malote.queue q
WHERE q.shard = $1 AND q.id = ANY ($2)

SELECT e.id
FROM malote.endpoints e
WHERE e.shard = $1 AND e.tenant = $2 AND EXISTS (
    SELECT 1 FROM malote.queue q
    WHERE q.shard = e.shard AND q.endpoint_id = e.id AND q.status = 'pending')

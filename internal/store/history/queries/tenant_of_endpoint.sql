SELECT e.tenant
FROM malote.endpoints e
WHERE e.shard = $1 AND e.id = $2

-- Two processes that are about to tell a tenant the same come one after the other.
SELECT t.id
FROM malote.tenants t
WHERE t.shard = $1 AND t.id = $2
FOR NO KEY UPDATE

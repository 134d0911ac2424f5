SELECT c.raised_at IS NOT NULL
FROM malote.conditions c
WHERE c.shard = $1 AND c.name = $2

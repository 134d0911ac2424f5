SELECT c.since, c.raised_at IS NOT NULL, now()
FROM malote.conditions c
WHERE c.shard = $1 AND c.name = $2
FOR UPDATE

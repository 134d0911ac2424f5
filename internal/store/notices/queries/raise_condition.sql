UPDATE malote.conditions c
SET raised_at = now()
WHERE c.shard = $1 AND c.name = $2

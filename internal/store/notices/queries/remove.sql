DELETE FROM malote.notices n
WHERE n.shard = $1 AND n.key = ANY($2)

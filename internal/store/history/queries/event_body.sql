SELECT e.body, e.content_type
FROM malote.events e
WHERE e.shard = $1 AND e.id = $2

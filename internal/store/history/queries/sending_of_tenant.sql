SELECT count(*)
FROM malote.queue q
WHERE q.shard = $1 AND q.tenant = $2 AND q.status = 'sending'

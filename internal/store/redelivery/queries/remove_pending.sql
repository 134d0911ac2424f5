DELETE FROM malote.queue q
WHERE q.shard = $1 AND q.id = ANY ($2) AND q.status = 'pending'

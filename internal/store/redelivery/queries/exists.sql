SELECT EXISTS (SELECT 1 FROM malote.deliveries d WHERE d.shard = $1 AND d.id = $2)
    OR EXISTS (SELECT 1 FROM malote.queue q WHERE q.shard = $1 AND q.id = $2)

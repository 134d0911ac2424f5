-- Over all shards.
SELECT count(*)
FROM malote.events e
WHERE e.id >= $1 AND e.id < $2

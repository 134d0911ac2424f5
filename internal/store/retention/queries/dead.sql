-- Over all shards, by the index of what is dead.
SELECT count(*)
FROM malote.deliveries d
WHERE d.state = 'dead' AND d.id >= $1 AND d.id < $2

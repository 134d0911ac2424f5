-- Over all shards.
SELECT count(*), count(*) FILTER (WHERE d.state = 'dead')
FROM malote.deliveries d
WHERE d.id >= $1 AND d.id < $2

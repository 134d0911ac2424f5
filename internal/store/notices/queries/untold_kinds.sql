-- Over all shards: the kinds that operators were not told of yet.
SELECT s.kind
FROM malote.signals s
WHERE s.told_at IS NULL
GROUP BY s.kind

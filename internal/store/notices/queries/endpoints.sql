-- Where endpoints are.
SELECT e.id, e.url
FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, id)
JOIN malote.endpoints e ON e.shard = wanted.shard AND e.id = wanted.id

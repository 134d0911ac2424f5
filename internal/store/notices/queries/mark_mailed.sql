UPDATE malote.signals s
SET mailed_at = now()
FROM unnest($1::smallint[], $2::uuid[]) AS settled (shard, id)
WHERE s.shard = settled.shard AND s.id = settled.id

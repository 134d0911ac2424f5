-- The rows are locked and known to be ours.
DELETE FROM malote.queue q
USING unnest($1::smallint[], $2::uuid[]) AS closed (shard, id)
WHERE q.shard = closed.shard AND q.id = closed.id

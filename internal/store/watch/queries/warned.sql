-- The rows are locked.
UPDATE malote.lanes l
SET warned_level = r.warned_level
FROM unnest($1::smallint[], $2::uuid[], $3::integer[]) AS r (shard, endpoint_id, warned_level)
WHERE l.shard = r.shard AND l.endpoint_id = r.endpoint_id

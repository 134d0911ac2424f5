-- Like lock_lanes.sql, for one of which more is asked.
SELECT l.tenant, l.status
FROM malote.lanes l
WHERE l.shard = $1 AND l.endpoint_id = $2
FOR UPDATE

-- Nobody claims, completes or replays on these lanes until the transaction ends.
SELECT l.endpoint_id, l.status
FROM malote.lanes l
WHERE l.shard = $1 AND l.endpoint_id = ANY ($2)
ORDER BY l.endpoint_id
FOR UPDATE

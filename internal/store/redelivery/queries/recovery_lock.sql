-- A running recovery, unless another process is at it or somebody cancels it.
SELECT r.endpoint_id, r.since, r.until, r.states, r.total, r.recovered, r.passed_over, r.position
FROM malote.recoveries r
WHERE r.shard = $1 AND r.id = $2 AND r.status = 'running'
FOR UPDATE SKIP LOCKED

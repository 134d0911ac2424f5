SELECT r.id, r.tenant, r.endpoint_id, r.since, r.until, r.states, r.status, r.detail,
    r.total, r.recovered, r.passed_over, r.created_at, r.updated_at, r.finished_at
FROM malote.recoveries r
WHERE r.shard = $1 AND r.id = $2

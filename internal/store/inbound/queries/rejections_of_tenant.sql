SELECT r.id, r.source_id, r.tenant, r.reason, r.detail, r.count, r.first_at, r.last_at
FROM malote.rejections r
WHERE r.shard = $5 AND r.tenant = $6 AND r.id >= $1 AND r.id < $2 AND r.last_at >= $3
ORDER BY r.id DESC
LIMIT $4

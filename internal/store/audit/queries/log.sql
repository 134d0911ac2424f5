-- The newest of each shard, and of those the newest.
SELECT found.id, coalesce(found.tenant, ''), found.actor_kind, found.actor_id, found.actor_name, found.by_operator, found.operation,
    found.subject_kind, found.subject_id, found.detail, found.address, found.created_at
FROM generate_series(0, 1023) AS shards (shard)
CROSS JOIN LATERAL (
    SELECT a.id, a.tenant, a.actor_kind, a.actor_id, a.actor_name, a.by_operator, a.operation, a.subject_kind, a.subject_id, a.detail,
        a.address, a.created_at
    FROM malote.audit_log a
    WHERE a.shard = shards.shard AND a.id >= $1 AND a.id < $2
        AND ($3 = '' OR a.operation = $3) AND ($5 = '' OR a.actor_kind = $5) AND ($6 = '' OR a.subject_id = $6)
        AND ($4 = '' OR a.actor_id = $4 AND NOT ($7 AND a.by_operator))
    ORDER BY a.id DESC
    LIMIT $8
) found
ORDER BY found.id DESC
LIMIT $8

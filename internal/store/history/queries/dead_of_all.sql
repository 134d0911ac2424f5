-- Over all shards: by their endpoints and reasons, of any $1. The index holds dead
-- ones only.
SELECT few.tenant, few.endpoint_id, coalesce((SELECT e.url FROM malote.endpoints e WHERE e.shard = few.shard AND e.id = few.endpoint_id), ''),
    few.reason, few.last_error, few.last_status, few.n, few.late, few.oldest, few.newest
FROM (
    SELECT d.shard, d.tenant, d.endpoint_id, d.reason, d.last_error, d.last_status, count(*)::integer AS n,
        count(*) FILTER (WHERE d.closed_at <= now() - interval '24 hours')::integer AS late, min(d.closed_at) AS oldest, max(d.closed_at) AS newest
    FROM (
        SELECT d.shard, d.tenant, d.endpoint_id, d.reason, d.last_error, d.last_status, d.closed_at
        FROM malote.deliveries d
        WHERE d.state = 'dead' AND d.trigger <> 'test'
            AND ($2 = '' OR $2 = (SELECT e.type FROM malote.events e WHERE e.shard = d.shard AND e.id = d.event_id))
            AND ($3 = '' OR d.reason = $3) AND ($4 = '' OR d.last_error = $4)
        LIMIT $1
    ) d
    GROUP BY d.shard, d.tenant, d.endpoint_id, d.reason, d.last_error, d.last_status
) few
ORDER BY few.n DESC, few.oldest

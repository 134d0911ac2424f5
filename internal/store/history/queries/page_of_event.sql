-- $1 and $2 lie in the event's own narrow range of ids.
WITH page AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM (
        SELECT q.shard, q.id
        FROM malote.queue q
        WHERE q.shard = $11 AND q.id >= $1 AND q.id < $2 AND q.event_id = $13
            AND ($6 = '' OR q.status = $6) AND $8 = '' AND ($9 = '' OR q.last_error = $9) AND ($10 = '' OR q.tenant = $10)
            AND ($12::uuid IS NULL OR q.endpoint_id = $12)
        UNION ALL
        SELECT d.shard, d.id
        FROM malote.deliveries d
        WHERE d.shard = $11 AND d.id >= $1 AND d.id < $2 AND d.event_id = $13
            AND ($6 = '' OR d.state = $6) AND ($8 = '' OR d.reason = $8) AND ($9 = '' OR d.last_error = $9 AND d.state <> 'delivered') AND ($10 = '' OR d.tenant = $10)
            AND ($12::uuid IS NULL OR d.endpoint_id = $12)
    ) found
    WHERE $7 = '' OR $7 = (SELECT e.type FROM malote.events e
        WHERE e.shard = $11 AND e.id = $13 AND e.id >= $3 AND e.id <= $4)
    ORDER BY found.id DESC
    LIMIT $5
)

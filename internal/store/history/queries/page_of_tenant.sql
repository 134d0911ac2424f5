-- Closed deliveries are indexed by endpoint, not by tenant: the newest of each
-- of the tenant's endpoints (deleted ones too) and those that never had one.
WITH page AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM (
        (SELECT q.shard, q.id
        FROM malote.queue q
        WHERE q.shard = $11 AND q.tenant = $10 AND q.id >= $1 AND q.id < $2 AND ($6 = '' OR q.status = $6)
            AND $8 = '' AND ($9 = '' OR q.last_error = $9)
            AND ($7 = '' OR $7 = (SELECT e.type FROM malote.events e
                WHERE e.shard = q.shard AND e.id = q.event_id AND e.id >= $3 AND e.id <= $4))
        ORDER BY q.id DESC
        LIMIT $5)
        UNION ALL
        SELECT own.shard, own.id
        FROM malote.endpoints ep
        CROSS JOIN LATERAL (
            SELECT d.shard, d.id
            FROM malote.deliveries d
            WHERE d.shard = ep.shard AND d.endpoint_id = ep.id AND d.id >= $1 AND d.id < $2
                AND ($6 = '' OR d.state = $6)
                AND ($8 = '' OR d.reason = $8) AND ($9 = '' OR d.last_error = $9 AND d.state <> 'delivered')
                AND ($7 = '' OR $7 = (SELECT e.type FROM malote.events e
                    WHERE e.shard = d.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4))
            ORDER BY d.id DESC
            LIMIT $5
        ) own
        WHERE ep.shard = $11 AND ep.tenant = $10 AND $6 NOT IN ('pending', 'sending')
        UNION ALL
        (SELECT d.shard, d.id
        FROM malote.deliveries d
        WHERE d.shard = $11 AND d.endpoint_id IS NULL AND d.tenant = $10 AND d.id >= $1 AND d.id < $2
            AND $6 NOT IN ('pending', 'sending') AND ($6 = '' OR d.state = $6)
            AND ($8 = '' OR d.reason = $8) AND ($9 = '' OR d.last_error = $9 AND d.state <> 'delivered')
            AND ($7 = '' OR $7 = (SELECT e.type FROM malote.events e
                WHERE e.shard = d.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4))
        ORDER BY d.id DESC
        LIMIT $5)
    ) found
    ORDER BY found.id DESC
    LIMIT $5
)

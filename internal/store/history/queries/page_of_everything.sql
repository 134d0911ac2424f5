-- The newest of each shard; the caller keeps the range of ids so short that
-- not much more is found than a page needs. What was not delivered has an index of
-- its own.
WITH page AS MATERIALIZED (
    SELECT found.shard, found.id
    FROM (
        SELECT open.shard, open.id
        FROM generate_series(0, 1023) AS s (shard)
        CROSS JOIN LATERAL (
            SELECT q.shard, q.id
            FROM malote.queue q
            WHERE q.shard = s.shard AND q.id >= $1 AND q.id < $2 AND ($6 = '' OR q.status = $6)
                AND $8 = '' AND ($9 = '' OR q.last_error = $9)
                AND ($7 = '' OR $7 = (SELECT e.type FROM malote.events e
                    WHERE e.shard = q.shard AND e.id = q.event_id AND e.id >= $3 AND e.id <= $4))
            ORDER BY q.id DESC
            LIMIT $5
        ) open
        WHERE $6 IN ('', 'pending', 'sending')
        UNION ALL
        SELECT closed.shard, closed.id
        FROM generate_series(0, 1023) AS s (shard)
        CROSS JOIN LATERAL (
            SELECT d.shard, d.id
            FROM malote.deliveries d
            WHERE d.shard = s.shard AND d.id >= $1 AND d.id < $2 AND ($6 = '' OR d.state = $6)
                AND ($8 = '' OR d.reason = $8) AND ($9 = '' OR d.last_error = $9 AND d.state <> 'delivered')
                AND ($7 = '' OR $7 = (SELECT e.type FROM malote.events e
                    WHERE e.shard = d.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4))
            ORDER BY d.id DESC
            LIMIT $5
        ) closed
        WHERE $6 NOT IN ('pending', 'sending')
    ) found
    ORDER BY found.id DESC
    LIMIT $5
)

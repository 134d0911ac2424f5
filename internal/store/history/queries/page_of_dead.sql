-- A tenant's dead deliveries have an index of their own: deliveries_dead.
WITH page AS MATERIALIZED (
    SELECT d.shard, d.id
    FROM malote.deliveries d
    WHERE d.shard = $11 AND d.tenant = $10 AND d.state = 'dead' AND $6 = 'dead' AND d.id >= $1 AND d.id < $2
        AND ($8 = '' OR d.reason = $8) AND ($9 = '' OR d.last_error = $9)
        AND ($7 = '' OR $7 = (SELECT e.type FROM malote.events e
            WHERE e.shard = d.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4))
    ORDER BY d.id DESC
    LIMIT $5
)

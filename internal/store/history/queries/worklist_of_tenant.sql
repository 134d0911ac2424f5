-- A tenant's dead deliveries, of the ids from $1 to before $2, in the order that the
-- caller puts in; failed tests are told to who asked for them.
WITH page AS MATERIALIZED (
    SELECT d.shard, d.id
    FROM malote.deliveries d
    WHERE d.shard = $9 AND d.tenant = $10 AND ($11::uuid IS NULL OR d.endpoint_id = $11)
        AND d.state = 'dead' AND d.trigger <> 'test' AND d.id >= $1 AND d.id < $2
        AND ($7 = '' OR d.reason = $7) AND ($8 = '' OR d.last_error = $8)
        AND ($6 = '' OR $6 = (SELECT e.type FROM malote.events e
            WHERE e.shard = d.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4))
    ORDER BY d.id ASC
    LIMIT $5
)

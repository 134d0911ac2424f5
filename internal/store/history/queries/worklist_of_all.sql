-- Over all shards: only an administrator asks. As worklist_of_tenant; the index
-- holds dead ones only, and the partitions are read one after another until the
-- page is full.
WITH page AS MATERIALIZED (
    SELECT d.shard, d.id
    FROM malote.deliveries d
    WHERE d.state = 'dead' AND d.trigger <> 'test' AND d.id >= $1 AND d.id < $2
        AND ($7 = '' OR d.reason = $7) AND ($8 = '' OR d.last_error = $8)
        AND ($6 = '' OR $6 = (SELECT e.type FROM malote.events e
            WHERE e.shard = d.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4))
    ORDER BY d.id ASC
    LIMIT $5
)

-- F13: the endpoint's pending delivery of an entity makes room for a newer one.
-- LIMIT keeps the look-up one per entity: a planner that believes that few have a
-- key would read them all.
WITH found AS (
    SELECT old.shard, old.id
    FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS entity (shard, endpoint_id, coalesce_key)
    CROSS JOIN LATERAL (
        SELECT q.shard, q.id FROM malote.queue q
        WHERE q.shard = entity.shard AND q.endpoint_id = entity.endpoint_id AND q.coalesce_key = entity.coalesce_key
            AND q.status = 'pending' AND q.coalesce_key IS NOT NULL
        LIMIT 1
    ) old
), replaced AS (
    SELECT q.shard, q.id
    FROM found
    JOIN malote.queue q ON q.shard = found.shard AND q.id = found.id
    WHERE q.status = 'pending'
    ORDER BY q.shard, q.id
    FOR UPDATE OF q
)
DELETE FROM malote.queue q
USING replaced
WHERE q.shard = replaced.shard AND q.id = replaced.id
RETURNING q.id, q.endpoint_id, q.event_id, q.tenant, q.trigger, q.rendering,
    q.attempt_count, q.last_status, q.last_error, q.coalesce_key

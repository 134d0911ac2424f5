-- F13: the endpoint's pending delivery of an entity makes room for a newer one.
WITH replaced AS (
    SELECT q.shard, q.id
    FROM unnest($1::smallint[], $2::uuid[], $3::text[]) AS entity (shard, endpoint_id, coalesce_key)
    JOIN malote.queue q ON q.shard = entity.shard AND q.endpoint_id = entity.endpoint_id
        AND q.coalesce_key = entity.coalesce_key
    WHERE q.status = 'pending' AND q.coalesce_key IS NOT NULL
    ORDER BY q.shard, q.id
    FOR UPDATE OF q
)
DELETE FROM malote.queue q
USING replaced
WHERE q.shard = replaced.shard AND q.id = replaced.id
RETURNING q.id, q.endpoint_id, q.event_id, q.tenant, q.trigger, q.rendering,
    q.attempt_count, q.last_status, q.last_error, q.coalesce_key

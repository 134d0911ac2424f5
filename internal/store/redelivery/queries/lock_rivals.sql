-- Open deliveries of the same entities (F13): a newer one refuses the replay; an
-- older one makes room if it is pending, and yields by itself if it is being
-- sent and fails. Each status has an index of entities of its own.
WITH rival AS MATERIALIZED (
    SELECT found.id
    FROM unnest($2::uuid[], $3::text[]) AS entity (endpoint_id, coalesce_key)
    CROSS JOIN LATERAL (
        SELECT p.id
        FROM malote.queue p
        WHERE p.shard = $1 AND p.endpoint_id = entity.endpoint_id AND p.coalesce_key = entity.coalesce_key
            AND p.coalesce_key IS NOT NULL AND p.status = 'pending'
        UNION ALL
        SELECT s.id
        FROM malote.queue s
        WHERE s.shard = $1 AND s.endpoint_id = entity.endpoint_id AND s.coalesce_key = entity.coalesce_key
            AND s.coalesce_key IS NOT NULL AND s.status = 'sending'
    ) found
    ORDER BY found.id
)
SELECT locked.id, locked.endpoint_id, locked.coalesce_key, locked.status
FROM rival
CROSS JOIN LATERAL (
    SELECT q.id, q.endpoint_id, q.coalesce_key, q.status
    FROM malote.queue q
    WHERE q.shard = $1 AND q.id = rival.id
    LIMIT 1
    FOR UPDATE OF q
) locked

-- Open deliveries of the same entities (F13): a newer one refuses the replay; an
-- older one makes room if it is pending, and yields by itself if it is being
-- sent and fails.
SELECT q.id, q.endpoint_id, q.coalesce_key, q.status
FROM unnest($2::uuid[], $3::text[]) AS entity (endpoint_id, coalesce_key)
JOIN malote.queue q ON q.endpoint_id = entity.endpoint_id AND q.coalesce_key = entity.coalesce_key
WHERE q.shard = $1 AND q.coalesce_key IS NOT NULL
    AND (q.status = 'pending' OR q.status = 'sending')
ORDER BY q.id
FOR UPDATE OF q

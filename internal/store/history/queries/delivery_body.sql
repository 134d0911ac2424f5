SELECT coalesce(r.body, e.body), e.content_type
FROM (
    SELECT q.rendering FROM malote.queue q WHERE q.shard = $1 AND q.id = $2
    UNION ALL
    SELECT d.rendering FROM malote.deliveries d WHERE d.shard = $1 AND d.id = $2
) AS sent
JOIN malote.events e ON e.shard = $1 AND e.id = $3
LEFT JOIN malote.event_renderings r ON sent.rendering > 0 AND r.shard = $1 AND r.event_id = $3 AND r.rendering = sent.rendering
LIMIT 1

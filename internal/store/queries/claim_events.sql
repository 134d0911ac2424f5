-- What the claimed deliveries send. The bounds of the ids are given as values, so
-- that the planner opens no more partitions than they touch.
SELECT wanted.position, e.type, e.content_type, e.occurred_at, e.accepted_at, e.source_id, e.headers, coalesce(e.traceparent, ''), coalesce(r.body, e.body)
FROM unnest($1::smallint[], $2::uuid[], $3::smallint[]) WITH ORDINALITY AS wanted (shard, event_id, rendering, position)
JOIN malote.events e ON e.shard = wanted.shard AND e.id = wanted.event_id
LEFT JOIN malote.event_renderings r ON wanted.rendering > 0
    AND r.shard = wanted.shard AND r.event_id = wanted.event_id AND r.rendering = wanted.rendering
    AND r.event_id BETWEEN $4 AND $5
WHERE e.id BETWEEN $4 AND $5

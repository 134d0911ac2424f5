-- What the claimed deliveries send. The bounds of the ids are given as values, so
-- that the planner opens no more partitions than they touch. LIMIT keeps it from
-- reading all that is within the bounds, which between a late retry and a new event
-- may be a day's, where it takes that for little: one id after another is looked up.
SELECT wanted.position, e.type, e.content_type, e.occurred_at, e.accepted_at, e.source_id, e.headers, coalesce(e.traceparent, ''), coalesce(r.body, e.body)
FROM unnest($1::smallint[], $2::uuid[], $3::smallint[]) WITH ORDINALITY AS wanted (shard, event_id, rendering, position)
CROSS JOIN LATERAL (
    SELECT e.type, e.content_type, e.occurred_at, e.accepted_at, e.source_id, e.headers, e.traceparent, e.body FROM malote.events e
    WHERE e.shard = wanted.shard AND e.id = wanted.event_id AND e.id BETWEEN $4 AND $5
    LIMIT 1
) e
LEFT JOIN LATERAL (
    SELECT r.body FROM malote.event_renderings r
    WHERE wanted.rendering > 0 AND r.shard = wanted.shard AND r.event_id = wanted.event_id
        AND r.rendering = wanted.rendering AND r.event_id BETWEEN $4 AND $5
    LIMIT 1
) r ON true

-- The second half of every statement that shows deliveries; the first defines
-- page (shard, id). $1 and $2 bound the deliveries' ids, $3 and $4 their
-- events': they spare partitions. A row is in the queue or in deliveries,
-- never in both, and LIMIT keeps the look-up one by one.
SELECT d.id, d.event_id, d.endpoint_id, d.tenant,
    coalesce((SELECT e.type FROM malote.events e
        WHERE e.shard = p.shard AND e.id = d.event_id AND e.id >= $3 AND e.id <= $4), ''),
    d.state, d.reason, d.resolution, d.trigger, d.attempt_count, d.next_attempt_at,
    d.last_status, d.last_error, coalesce(d.coalesce_key, ''), d.superseded_by, d.closed_at
FROM page p
CROSS JOIN LATERAL (
    SELECT q.id, q.event_id, q.endpoint_id, q.tenant, q.status AS state, '' AS reason, '' AS resolution, q.trigger,
        q.attempt_count, CASE WHEN q.status = 'pending' THEN q.next_attempt_at END AS next_attempt_at,
        q.last_status, q.last_error, q.coalesce_key, NULL::uuid AS superseded_by, NULL::timestamptz AS closed_at
    FROM malote.queue q
    WHERE q.shard = p.shard AND q.id = p.id
    UNION ALL
    SELECT c.id, c.event_id, c.endpoint_id, c.tenant, c.state, c.reason, c.resolution, c.trigger,
        c.attempt_count, NULL, c.last_status, c.last_error, c.coalesce_key, c.superseded_by, c.closed_at
    FROM malote.deliveries c
    WHERE c.shard = p.shard AND c.id = p.id AND c.id >= $1 AND c.id < $2
    LIMIT 1
) d
ORDER BY p.id DESC

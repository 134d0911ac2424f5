-- Deliveries of a page of events, in the order of both: each event's lie in its
-- own narrow range of ids. $3 and $4 bound all of them, which spares partitions.
SELECT d.id, d.event_id, d.endpoint_id, d.tenant, '', d.state, d.reason, d.resolution, d.trigger, d.attempt_count, d.next_attempt_at,
    d.last_status, d.last_error, coalesce(d.coalesce_key, ''), d.superseded_by, d.closed_at
FROM unnest($2::uuid[], $5::uuid[], $6::uuid[]) AS wanted (event_id, first, past)
CROSS JOIN LATERAL (
    SELECT q.id, q.event_id, q.endpoint_id, q.tenant, q.status AS state, '' AS reason, '' AS resolution, q.trigger,
        q.attempt_count, CASE WHEN q.status = 'pending' THEN q.next_attempt_at END AS next_attempt_at,
        q.last_status, q.last_error, q.coalesce_key, NULL::uuid AS superseded_by, NULL::timestamptz AS closed_at
    FROM malote.queue q
    WHERE q.shard = $1 AND q.event_id = wanted.event_id AND q.id >= wanted.first AND q.id < wanted.past
        AND ($7::uuid IS NULL OR q.endpoint_id = $7)
    UNION ALL
    SELECT c.id, c.event_id, c.endpoint_id, c.tenant, c.state, c.reason, c.resolution, c.trigger,
        c.attempt_count, NULL, c.last_status, c.last_error, c.coalesce_key, c.superseded_by, c.closed_at
    FROM malote.deliveries c
    WHERE c.shard = $1 AND c.event_id = wanted.event_id AND c.id >= wanted.first AND c.id < wanted.past
        AND c.id >= $3 AND c.id < $4 AND ($7::uuid IS NULL OR c.endpoint_id = $7)
) d
WHERE ($8::uuid IS NULL OR (wanted.event_id, d.id) > ($8, $9))
ORDER BY wanted.event_id, d.id
LIMIT $10

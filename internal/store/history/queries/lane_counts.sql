SELECT l.endpoint_id, l.tenant, head.pending, flying.in_flight, done.delivered, lost.dead, head.oldest, now()
FROM unnest($1::smallint[], $2::uuid[]) WITH ORDINALITY AS wanted (shard, endpoint_id, position)
JOIN malote.lanes l ON l.shard = wanted.shard AND l.endpoint_id = wanted.endpoint_id
CROSS JOIN LATERAL (
    SELECT count(*) AS pending, min(due.cycle_started_at) AS oldest
    FROM (
        SELECT q.cycle_started_at
        FROM malote.queue q
        WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
        ORDER BY q.next_attempt_at, q.id
        LIMIT $3
    ) due
) head
CROSS JOIN LATERAL (
    SELECT count(*) AS in_flight
    FROM malote.queue q
    WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'sending'
) flying
CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.ok), 0)::bigint AS delivered
    FROM malote.lane_stats s
    WHERE s.shard = l.shard AND s.endpoint_id = l.endpoint_id
) done
CROSS JOIN LATERAL (
    SELECT count(*) AS dead
    FROM (
        SELECT d.id
        FROM malote.deliveries d
        WHERE d.shard = l.shard AND d.tenant = l.tenant AND d.state = 'dead' AND d.endpoint_id = l.endpoint_id
        LIMIT $3
    ) few
) lost
ORDER BY wanted.position

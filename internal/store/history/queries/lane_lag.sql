-- How lanes are doing, from the first $3 of their pending deliveries.
SELECT l.endpoint_id, l.tenant, coalesce(e.url, ''), l.status, head.pending, flying.in_flight, l.claim_limit,
    l.max_in_flight, head.oldest, l.consecutive_failures, l.paused_until, coalesce(head.last_error, ''),
    l.circuit_phase, l.disabled_reason, l.last_failure_at, l.last_success_at, now()
FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, endpoint_id)
JOIN malote.lanes l ON l.shard = wanted.shard AND l.endpoint_id = wanted.endpoint_id
LEFT JOIN malote.endpoints e ON e.shard = l.shard AND e.id = l.endpoint_id
CROSS JOIN LATERAL (
    SELECT count(*) AS pending, min(due.cycle_started_at) AS oldest,
        (array_agg(due.last_error ORDER BY due.cycle_started_at) FILTER (WHERE due.last_error <> ''))[1] AS last_error
    FROM (
        SELECT q.cycle_started_at, q.last_error
        FROM malote.queue q
        WHERE q.shard = wanted.shard AND q.endpoint_id = wanted.endpoint_id AND q.status = 'pending'
        ORDER BY q.next_attempt_at, q.id
        LIMIT $3
    ) due
) head
CROSS JOIN LATERAL (
    SELECT count(*) AS in_flight
    FROM malote.queue q
    WHERE q.shard = wanted.shard AND q.endpoint_id = wanted.endpoint_id AND q.status = 'sending'
) flying

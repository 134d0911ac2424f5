-- Closed deliveries again, now locked in the order of their ids, with what decides
-- about them.
SELECT locked.id, locked.state, coalesce(endpoint.policy, ''), coalesce(endpoint.url, ''), (
    SELECT true FROM malote.events ev
    WHERE ev.shard = locked.shard AND ev.id = locked.event_id) IS NOT NULL,
    coalesce(endpoint.at_most_once, false), locked.attempt_count, locked.last_error
FROM (SELECT w.id FROM unnest($2::uuid[]) AS w (id) ORDER BY w.id) wanted
CROSS JOIN LATERAL (
    SELECT d.shard, d.id, d.endpoint_id, d.event_id, d.state, d.attempt_count, d.last_error
    FROM malote.deliveries d
    WHERE d.shard = $1 AND d.id = wanted.id AND d.id BETWEEN $3 AND $4
    LIMIT 1
    FOR UPDATE OF d
) locked
LEFT JOIN LATERAL (
    SELECT e.policy, e.url, e.at_most_once
    FROM malote.endpoints e
    WHERE e.shard = locked.shard AND e.id = locked.endpoint_id
    LIMIT 1
) endpoint ON true

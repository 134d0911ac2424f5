-- Closed deliveries again, now locked, with what decides about them.
SELECT d.id, d.state, coalesce(e.policy, ''), coalesce(e.url, ''), EXISTS (
    SELECT 1 FROM malote.events ev
    WHERE ev.shard = d.shard AND ev.id = d.event_id),
    coalesce(e.at_most_once, false), d.attempt_count, d.last_error
FROM malote.deliveries d
LEFT JOIN malote.endpoints e ON e.shard = d.shard AND e.id = d.endpoint_id
WHERE d.shard = $1 AND d.id = ANY ($2)
ORDER BY d.id
FOR UPDATE OF d

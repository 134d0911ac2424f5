-- Closed deliveries of one endpoint, now locked, with what speaks against sending
-- them again: an attempt that an at-most-once endpoint may have seen (A06), and
-- an event that retention has removed.
SELECT d.id, coalesce(d.coalesce_key, ''), e.at_most_once AND d.attempt_count > 0, EXISTS (
    SELECT 1 FROM malote.events ev
    WHERE ev.shard = d.shard AND ev.id = d.event_id)
FROM malote.deliveries d
JOIN malote.endpoints e ON e.shard = d.shard AND e.id = d.endpoint_id
WHERE d.shard = $1 AND d.endpoint_id = $2 AND d.id = ANY ($3) AND d.id BETWEEN $4 AND $5 AND d.state = ANY ($6)
ORDER BY d.id
FOR UPDATE OF d

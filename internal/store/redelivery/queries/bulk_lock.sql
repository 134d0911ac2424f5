-- Closed deliveries of one endpoint, now locked in the order of their ids, with what
-- speaks against sending them again: an attempt that an at-most-once endpoint may
-- have seen (A06), and an event that retention has removed. A test is over when it
-- was made, and what was skipped is asked for again only if the endpoint missed it.
SELECT locked.id, coalesce(locked.coalesce_key, ''), e.at_most_once AND locked.attempt_count > 0, (
    SELECT true FROM malote.events ev
    WHERE ev.shard = locked.shard AND ev.id = locked.event_id) IS NOT NULL
FROM malote.endpoints e
CROSS JOIN (SELECT w.id FROM unnest($3::uuid[]) AS w (id) ORDER BY w.id) wanted
CROSS JOIN LATERAL (
    SELECT d.shard, d.id, d.endpoint_id, d.event_id, d.state, d.reason, d.trigger, d.attempt_count, d.coalesce_key
    FROM malote.deliveries d
    WHERE d.shard = $1 AND d.id = wanted.id AND d.id BETWEEN $4 AND $5
    LIMIT 1
    FOR UPDATE OF d
) locked
WHERE e.shard = $1 AND e.id = $2 AND locked.endpoint_id = $2 AND locked.state = ANY ($6)
    AND locked.trigger <> 'test' AND (locked.state <> 'skipped' OR locked.reason = 'endpoint_disabled')
ORDER BY locked.id

-- Due deliveries of locked lanes: the first of each before the second of any
-- (I2), none over its lane's limit (I1). Cost: the lanes asked for and the
-- deliveries taken, whatever stands behind them (I3).
WITH lane AS (
    SELECT w.shard, w.endpoint_id, w.lease_seconds, w.turn,
        w.claim_limit - (
            SELECT count(*) FROM malote.queue s
            WHERE s.shard = w.shard AND s.endpoint_id = w.endpoint_id AND s.status = 'sending'
        ) AS free
    FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::integer[])
        WITH ORDINALITY AS w (shard, endpoint_id, claim_limit, lease_seconds, turn)
), due AS (
    SELECT lane.shard, d.id, d.place, lane.turn,
        now() + make_interval(secs => lane.lease_seconds) AS lease_until
    FROM lane
    CROSS JOIN LATERAL (
        SELECT q.id, row_number() OVER (ORDER BY q.next_attempt_at, q.id) AS place
        FROM malote.queue q
        WHERE q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id
            AND q.status = 'pending' AND q.next_attempt_at <= now()
            -- One entity's deliveries go out one after another, or an older
            -- state could arrive last.
            AND (q.coalesce_key IS NULL OR NOT EXISTS (
                SELECT 1 FROM malote.queue s
                WHERE s.shard = lane.shard AND s.endpoint_id = lane.endpoint_id
                    AND s.coalesce_key = q.coalesce_key AND s.status = 'sending'))
        ORDER BY q.next_attempt_at, q.id
        LIMIT greatest(lane.free, 0)
    ) d
    ORDER BY d.place, lane.turn
    LIMIT $5
), picked AS (
    -- One that a publisher is replacing at this moment is left to it: waiting for
    -- it with so many lanes locked would hold up everybody (I8).
    SELECT due.shard, due.id, due.place, due.turn, due.lease_until
    FROM due
    JOIN malote.queue q ON q.shard = due.shard AND q.id = due.id
    -- The same as being pending, but no reason to use the index of pending ones,
    -- which knows the shard and not the id.
    WHERE q.claim_token IS NULL
    FOR UPDATE OF q SKIP LOCKED
)
UPDATE malote.queue q
SET status = 'sending', attempt_count = q.attempt_count + 1, cycle_attempt = q.cycle_attempt + 1,
    claim_token = $6, lease_until = picked.lease_until
FROM picked
WHERE q.shard = picked.shard AND q.id = picked.id AND q.claim_token IS NULL
RETURNING picked.place, picked.turn, q.endpoint_id, q.id, q.attempt_count, q.cycle_attempt, q.trigger,
    q.next_attempt_at, q.cycle_started_at, q.cycle_first_attempt_at, now(), q.lease_until,
    q.event_id, q.tenant, coalesce(q.coalesce_key, ''), q.rendering

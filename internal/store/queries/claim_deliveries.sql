-- Due deliveries of locked lanes: the first turn of each before the second of any
-- (I2), none over its lane's limit (I1) or rate. A turn is as many as the lane's
-- weight, of which an earlier claim may have left some (A09); the weight is 1 where
-- nobody has a priority. In a strictly ordered lane only the head counts.
-- Cost: the lanes asked for and the deliveries taken, whatever stands behind them (I3).
WITH lane AS MATERIALIZED (
    SELECT w.shard, w.endpoint_id, w.lease_seconds, w.fifo, w.weight, w.turn_left, w.turn,
        greatest(0, least(w.allowance, w.claim_limit - (
            SELECT count(*) FROM malote.queue s
            WHERE s.shard = w.shard AND s.endpoint_id = w.endpoint_id AND s.status = 'sending'
        ))) AS free
    FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $4::integer[], $7::integer[], $8::boolean[], $9::integer[],
            $10::integer[])
        WITH ORDINALITY AS w (shard, endpoint_id, claim_limit, lease_seconds, allowance, fifo, weight, turn_left, turn)
), due AS (
    SELECT lane.shard, d.id, d.place, (d.place - 1 + lane.weight - lane.turn_left) / lane.weight AS round, lane.turn,
        now() + make_interval(secs => lane.lease_seconds) AS lease_until
    FROM lane
    CROSS JOIN LATERAL (
        (SELECT q.id, row_number() OVER (ORDER BY q.next_attempt_at, q.id) AS place
        FROM malote.queue q
        WHERE NOT lane.fifo AND q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id
            AND q.status = 'pending' AND q.next_attempt_at <= now()
            -- One entity's deliveries go out one after another, or an older
            -- state could arrive last.
            AND (q.coalesce_key IS NULL OR NOT EXISTS (
                SELECT 1 FROM malote.queue s
                WHERE s.shard = lane.shard AND s.endpoint_id = lane.endpoint_id
                    AND s.coalesce_key = q.coalesce_key AND s.status = 'sending'))
        ORDER BY q.next_attempt_at, q.id
        LIMIT lane.free)
        UNION ALL
        (SELECT head.id, 1 FROM (
            SELECT q.id, q.next_attempt_at FROM malote.queue q
            WHERE lane.fifo AND q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id
                AND q.status = 'pending' AND q.fifo_position IS NOT NULL
            ORDER BY q.fifo_position, q.id
            LIMIT least(lane.free, 1)
        ) head WHERE head.next_attempt_at <= now())
    ) d
    ORDER BY round, lane.turn, d.place
    LIMIT $5
), picked AS (
    -- One that a publisher is replacing at this moment is left to it: waiting for
    -- it with so many lanes locked would hold up everybody (I8).
    SELECT due.shard, due.id, due.place, due.round, due.turn, due.lease_until
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
RETURNING picked.round, picked.turn, picked.place, q.endpoint_id, q.id, q.attempt_count, q.cycle_attempt, q.trigger,
    q.next_attempt_at, q.cycle_started_at, q.cycle_first_attempt_at, now(), q.lease_until,
    q.event_id, q.tenant, coalesce(q.coalesce_key, ''), q.rendering

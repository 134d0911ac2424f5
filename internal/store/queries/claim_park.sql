-- Where the lanes of a claim stand after it, as a new snapshot sees it: full
-- (only a completion wakes them), ready again (to the back of the line; or where
-- they were, with what is left of their turn, if the claim took its last before
-- they had their turn of the round that others had), or without work that is due
-- and within the rate until some time, or until a publisher wakes them.
WITH lane AS (
    SELECT w.shard, w.endpoint_id, w.turn, w.claim_limit, w.fifo, w.weight, w.turn_left, w.since, w.rate_limit,
        w.claim_limit - mine.sending AS free, mine.taken, sum(mine.taken) OVER () AS taken_by_all,
        mine.taken + w.weight - w.turn_left AS into_turns,
        max((mine.taken - 1 + w.weight - w.turn_left) / w.weight) FILTER (WHERE mine.taken > 0) OVER () AS last_round,
        CASE WHEN w.rate_limit > 0 THEN
            greatest(w.rate_ready_at, now() - make_interval(secs => (w.rate_burst - 1) / greatest(w.rate_limit, 0.001)))
                + make_interval(secs => mine.taken / greatest(w.rate_limit, 0.001))
        END AS rate_ready_at
    FROM unnest($1::smallint[], $2::uuid[], $3::integer[], $6::boolean[], $7::integer[], $8::integer[],
            $9::timestamptz[], $10::double precision[], $11::integer[], $12::timestamptz[])
        WITH ORDINALITY
        AS w (shard, endpoint_id, claim_limit, fifo, weight, turn_left, since, rate_limit, rate_burst, rate_ready_at, turn)
    CROSS JOIN LATERAL (
        SELECT count(*) AS sending, count(*) FILTER (WHERE s.claim_token = $5) AS taken FROM malote.queue s
        WHERE s.shard = w.shard AND s.endpoint_id = w.endpoint_id AND s.status = 'sending'
    ) mine
), stand AS MATERIALIZED ( -- or each look at what is due is taken for each use of it
    SELECT lane.shard, lane.endpoint_id, lane.turn, lane.claim_limit, lane.weight, lane.since, lane.free,
        lane.taken_by_all, lane.into_turns, lane.last_round, lane.rate_ready_at, CASE
        WHEN lane.free <= 0 THEN 'infinity'::timestamptz
        WHEN lane.fifo THEN (
            SELECT q.next_attempt_at FROM malote.queue q
            WHERE q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id AND q.status = 'pending'
                AND q.fifo_position IS NOT NULL
            ORDER BY q.fifo_position, q.id
            LIMIT 1)
        ELSE (
            SELECT q.next_attempt_at FROM malote.queue q
            WHERE q.shard = lane.shard AND q.endpoint_id = lane.endpoint_id AND q.status = 'pending'
                AND (q.coalesce_key IS NULL OR NOT EXISTS (
                    SELECT 1 FROM malote.queue s
                    WHERE s.shard = lane.shard AND s.endpoint_id = lane.endpoint_id
                        AND s.coalesce_key = q.coalesce_key AND s.status = 'sending'))
            ORDER BY q.next_attempt_at, q.id
            LIMIT 1)
        END AS due_at
    FROM lane
), next AS (
    SELECT stand.shard, stand.endpoint_id, stand.free <= 0 AND stand.claim_limit > 0 AS is_full, stand.rate_ready_at,
        CASE WHEN keeps.turn THEN stand.since
            -- The microseconds keep those that go back together in their order.
            ELSE greatest(now() + stand.turn * interval '1 microsecond', coalesce(stand.due_at, 'infinity'), stand.rate_ready_at)
        END AS ready_at,
        -- A lane that got full in its turn has the rest when a completion wakes it.
        CASE WHEN keeps.turn OR stand.free <= 0 THEN stand.weight - stand.into_turns % stand.weight ELSE stand.weight END AS turn_left
    FROM stand
    CROSS JOIN LATERAL (
        SELECT coalesce(stand.due_at <= now(), false) AND coalesce(stand.rate_ready_at <= now(), true)
            AND stand.into_turns / stand.weight <= stand.last_round AND stand.taken_by_all >= $4 AS turn
    ) keeps
)
UPDATE malote.lanes l
SET ready_at = next.ready_at, parked_full = next.is_full, turn_left = next.turn_left, rate_ready_at = next.rate_ready_at
FROM next
WHERE l.shard = next.shard AND l.endpoint_id = next.endpoint_id
    -- A lane that was handed over while it was parked is left as it is. It needs no
    -- second look: whoever committed meanwhile saw it parked, and waits for its lock.
    AND (l.ready_at, l.parked_full, l.turn_left, l.rate_ready_at)
        IS DISTINCT FROM (next.ready_at, next.is_full, next.turn_left, next.rate_ready_at)
RETURNING l.shard, l.endpoint_id, l.ready_at > now() + interval '10 milliseconds' AND NOT l.parked_full AND l.status = 'active',
    l.parked_full, l.ready_at <= now() + interval '10 milliseconds'

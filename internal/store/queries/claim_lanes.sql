-- The lanes that have waited longest of each standing asked for, and the parked ones
-- that were handed over with new work, all without some, each locked for this
-- transaction. On Citus the placeholder becomes a condition on the
-- shard and a claim runs once per shard; here one claim covers all. The rate's
-- allowance is a bucket of rate_burst, filled at rate_limit a second;
-- rate_ready_at is when it holds one again.
WITH locked AS (
    SELECT lane.shard, lane.endpoint_id, lane.status, lane.fifo_since, lane.claim_limit, lane.lease_seconds, lane.config_version,
        lane.standing, lane.weight, lane.turn_left, lane.rate_limit, lane.rate_burst, lane.rate_ready_at, lane.ready_at AS since, false AS is_handed
    FROM unnest($1::text[], $2::integer[]) AS wanted (standing, lanes)
    CROSS JOIN LATERAL (
        SELECT l.shard, l.endpoint_id, l.status, l.fifo_since, l.claim_limit, l.lease_seconds, l.config_version, l.standing,
            l.weight, l.turn_left, l.rate_limit, l.rate_burst, l.rate_ready_at, l.ready_at
        FROM malote.lanes l
        WHERE /*{shard l}*/ l.standing = wanted.standing
            AND l.ready_at <= now() AND l.ready_at < 'infinity' -- as the index says
            AND NOT l.endpoint_id = ANY($3::uuid[])
        ORDER BY l.ready_at
        LIMIT wanted.lanes
        FOR UPDATE OF l SKIP LOCKED
    ) lane
    UNION ALL
    -- Last in the line, and left as they are if this claim takes all they have.
    SELECT lane.shard, lane.endpoint_id, lane.status, lane.fifo_since, lane.claim_limit, lane.lease_seconds, lane.config_version,
        lane.standing, lane.weight, lane.turn_left, lane.rate_limit, lane.rate_burst, lane.rate_ready_at, now(), true
    FROM (
        SELECT l.shard, l.endpoint_id, l.status, l.fifo_since, l.claim_limit, l.lease_seconds, l.config_version, l.standing,
            l.weight, l.turn_left, l.rate_limit, l.rate_burst, l.rate_ready_at
        FROM unnest($4::smallint[], $5::uuid[]) AS handed (shard, endpoint_id)
        JOIN malote.lanes l ON l.shard = handed.shard AND l.endpoint_id = handed.endpoint_id
        WHERE l.ready_at > now() AND l.status = 'active' AND NOT l.parked_full
            AND (l.paused_until IS NULL OR l.paused_until <= now())
            AND (l.rate_ready_at IS NULL OR l.rate_ready_at <= now())
            AND l.standing = ANY($1::text[]) AND NOT l.endpoint_id = ANY($3::uuid[])
        FOR UPDATE OF l SKIP LOCKED
    ) lane
)
SELECT now(), lane.shard, lane.endpoint_id,
    CASE WHEN lane.status <> 'active' THEN 0
        WHEN lane.fifo_since IS NOT NULL THEN least(lane.claim_limit, 1)
        ELSE lane.claim_limit END,
    lane.lease_seconds, lane.config_version, lane.standing, lane.fifo_since IS NOT NULL, lane.weight,
    least(lane.turn_left, lane.weight), lane.since, lane.rate_limit, lane.rate_burst, lane.rate_ready_at,
    CASE WHEN lane.rate_limit = 0 THEN lane.claim_limit
        WHEN lane.rate_ready_at > now() THEN 0
        WHEN lane.rate_ready_at IS NULL THEN lane.rate_burst
        ELSE least(lane.rate_burst, 1 + floor(least(1e6, extract(epoch FROM now() - lane.rate_ready_at)) * lane.rate_limit))::integer END,
    coalesce(lane.fifo_since > now() - interval '2 minutes', false), lane.is_handed
FROM locked lane

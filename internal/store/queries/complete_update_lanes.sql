-- What completions changed about their lanes, and when to look at them again:
-- not before a pause ends, not at all while not active.
UPDATE malote.lanes l
SET status = r.status,
    disabled_reason = CASE WHEN r.disabled_reason <> '' THEN r.disabled_reason ELSE l.disabled_reason END,
    config_version = CASE WHEN r.disabled_reason <> '' THEN l.config_version + 1 ELSE l.config_version END,
    parked_full = r.parked_full, standing = r.standing,
    ready_at = CASE WHEN r.status <> 'active' THEN 'infinity'::timestamptz
        ELSE greatest(r.paused_until, l.rate_ready_at, least(l.ready_at, r.wake_at)) END,
    claim_limit = r.claim_limit, circuit_phase = r.phase, consecutive_failures = r.failures,
    opened_count = r.opened_count, slow_level = r.slow_level, slow_streak = r.slow_streak,
    slow_successes = r.slow_successes, warned_level = r.warned_level,
    first_failure_at = r.first_failure_at, last_failure_at = r.last_failure_at,
    last_success_at = r.last_success_at, opened_at = r.opened_at, paused_until = r.paused_until,
    slowed_at = r.slowed_at, disabled_at = r.disabled_at
FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::integer[],
    $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::integer[],
    $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[],
    $17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[], $21::boolean[], $22::text[])
    AS r (shard, endpoint_id, status, disabled_reason, phase, claim_limit, failures,
        opened_count, slow_level, slow_streak, slow_successes, warned_level,
        wake_at, first_failure_at, last_failure_at, last_success_at,
        opened_at, paused_until, slowed_at, disabled_at, parked_full, standing)
WHERE l.shard = r.shard AND l.endpoint_id = r.endpoint_id

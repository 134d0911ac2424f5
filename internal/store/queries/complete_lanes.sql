-- The lanes of a batch, locked in the one order that all use.
SELECT now(), l.shard, l.endpoint_id, l.tenant, l.status, l.max_in_flight, l.parked_full, l.claim_limit, l.standing,
    l.turn_left < l.weight,
    -- What a claim in the same transaction must know. Weights and rates are for a
    -- claim of those that stand in line; so are lanes strictly ordered a moment ago.
    l.parked_full AND l.weight = 1 AND l.rate_limit = 0 AND coalesce(l.fifo_since <= now() - interval '2 minutes', true),
    l.fifo_since IS NOT NULL, l.lease_seconds, l.config_version,
    l.circuit_phase, l.consecutive_failures, l.first_failure_at, l.last_failure_at, l.last_success_at,
    l.opened_at, l.opened_count, l.paused_until,
    l.slow_level, l.slowed_at, l.slow_streak, l.slow_successes, l.warned_level, l.disabled_at
FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, endpoint_id)
JOIN malote.lanes l ON l.shard = wanted.shard AND l.endpoint_id = wanted.endpoint_id
ORDER BY l.shard, l.endpoint_id
FOR UPDATE OF l

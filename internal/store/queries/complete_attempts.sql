-- One row per attempt. A claim that was given up as interrupted and completed
-- after all keeps one row, with what really happened.
INSERT INTO malote.attempts AS a (shard, delivery_id, claim_token, number, trigger, scheduled_at, started_at,
    duration_ms, response_status, error_code, error, response)
SELECT r.shard, r.delivery_id, r.claim_token, r.number, r.trigger, r.scheduled_at, r.started_at,
    r.duration_ms, r.response_status, r.error_code, r.error, r.response
FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[], $6::timestamptz[], $7::timestamptz[],
    $8::integer[], $9::smallint[], $10::text[], $11::text[], $12::bytea[])
    AS r (shard, delivery_id, claim_token, number, trigger, scheduled_at, started_at,
        duration_ms, response_status, error_code, error, response)
ON CONFLICT (shard, delivery_id, claim_token) DO UPDATE
SET started_at = excluded.started_at, duration_ms = excluded.duration_ms,
    response_status = excluded.response_status, error_code = excluded.error_code,
    error = excluded.error, response = excluded.response
WHERE a.error_code = 'interrupted'

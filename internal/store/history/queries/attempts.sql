-- Partitioned by the claim token, whose time is the claim's.
SELECT a.number, a.trigger, a.scheduled_at, a.response_status, a.error_code, a.error, a.response,
    a.started_at, a.duration_ms
FROM malote.attempts a
WHERE a.shard = $1 AND a.delivery_id = $2 AND a.claim_token >= $3 AND a.claim_token < $4
ORDER BY a.number, a.claim_token

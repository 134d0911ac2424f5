-- Back to pending. The rows are locked and known to be ours.
UPDATE malote.queue q
SET status = 'pending', next_attempt_at = r.next_attempt_at, claim_token = NULL, lease_until = NULL,
    attempt_count = q.attempt_count - r.unsent, cycle_attempt = q.cycle_attempt - r.unsent,
    cycle_first_attempt_at = coalesce(q.cycle_first_attempt_at, r.first_attempt_at),
    last_status = CASE WHEN r.unsent = 1 THEN q.last_status ELSE r.last_status END,
    last_error = CASE WHEN r.unsent = 1 THEN q.last_error ELSE r.last_error END
FROM unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::smallint[], $6::smallint[], $7::text[])
    AS r (shard, id, next_attempt_at, first_attempt_at, unsent, last_status, last_error)
WHERE q.shard = r.shard AND q.id = r.id

-- The rows are locked.
UPDATE malote.notice_windows w
SET last_at = now()
WHERE w.shard = $1 AND w.tenant = $2 AND w.kind = ANY($3)

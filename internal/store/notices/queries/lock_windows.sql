-- Two processes that are about to tell the same come one after the other.
SELECT w.kind, w.last_at
FROM malote.notice_windows w
WHERE w.shard = $1 AND w.tenant = $2 AND w.kind = ANY($3)
ORDER BY w.kind
FOR UPDATE

-- Notices that are no events yet, the oldest first.
SELECT n.key, n.kind, n.type, n.data, n.recipient, n.occurred_at
FROM malote.notices n
WHERE n.shard = $1
ORDER BY n.created_at, n.key
LIMIT $2

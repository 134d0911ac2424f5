-- Live secrets, newest first: the newest signs first (S04).
SELECT s.endpoint_id, s.id, s.value, s.key_id, s.created_at, s.expires_at
FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, id)
JOIN malote.endpoint_secrets s ON s.shard = wanted.shard AND s.endpoint_id = wanted.id
WHERE s.expires_at IS NULL OR s.expires_at > now()
ORDER BY s.created_at DESC, s.id DESC

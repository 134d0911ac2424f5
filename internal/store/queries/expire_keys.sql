DELETE FROM malote.event_keys k
USING (
    SELECT old.shard, old.scope, old.key FROM malote.event_keys old
    WHERE /*{shard old}*/ old.expires_at < now() ORDER BY old.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
) expired
WHERE k.shard = expired.shard AND k.scope = expired.scope AND k.key = expired.key

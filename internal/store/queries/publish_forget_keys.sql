-- Keys past their time make room before the maintenance comes to them.
WITH expired AS (
    SELECT k.shard, k.scope, k.key
    FROM unnest($1::smallint[], $2::text[], $3::text[]) AS wanted (shard, scope, key)
    JOIN malote.event_keys k ON k.shard = wanted.shard AND k.scope = wanted.scope AND k.key = wanted.key
    WHERE k.expires_at <= now()
    ORDER BY k.shard, k.scope, k.key
    FOR UPDATE OF k
)
DELETE FROM malote.event_keys k
USING expired
WHERE k.shard = expired.shard AND k.scope = expired.scope AND k.key = expired.key

-- Keys past their time make room before the maintenance comes to them. The first
-- step finds them one by one, the second locks them in order.
WITH known AS (
    SELECT old.shard, old.scope, old.key, old.expires_at
    FROM unnest($1::smallint[], $2::text[], $3::text[]) AS wanted (shard, scope, key)
    CROSS JOIN LATERAL (
        SELECT k.shard, k.scope, k.key, k.expires_at FROM malote.event_keys k
        WHERE k.shard = wanted.shard AND k.scope = wanted.scope AND k.key = wanted.key
        LIMIT 1
    ) old
), expired AS (
    SELECT k.shard, k.scope, k.key
    FROM known
    JOIN malote.event_keys k ON k.shard = known.shard AND k.scope = known.scope AND k.key = known.key
    WHERE known.expires_at <= now()
    ORDER BY k.shard, k.scope, k.key
    FOR UPDATE OF k
)
DELETE FROM malote.event_keys k
USING expired
WHERE k.shard = expired.shard AND k.scope = expired.scope AND k.key = expired.key

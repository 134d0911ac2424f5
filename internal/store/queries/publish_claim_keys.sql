-- "Exactly once": of two transactions with one key, one inserts and the other
-- waits here until the first has ended.
INSERT INTO malote.event_keys AS k (shard, scope, key, id, fingerprint, expires_at)
SELECT new.shard, new.scope, new.key, new.id, new.fingerprint, now() + interval '7 days'
FROM unnest($1::smallint[], $2::text[], $3::text[], $4::uuid[], $5::bytea[])
    AS new (shard, scope, key, id, fingerprint)
ON CONFLICT (shard, scope, key) DO NOTHING
RETURNING k.shard, k.scope, k.key

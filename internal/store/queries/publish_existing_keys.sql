-- What is known of keys that were there before, if their time is not over.
SELECT k.shard, k.scope, k.key, k.id, k.fingerprint
FROM unnest($1::smallint[], $2::text[], $3::text[]) AS wanted (shard, scope, key)
JOIN malote.event_keys k ON k.shard = wanted.shard AND k.scope = wanted.scope AND k.key = wanted.key
WHERE k.expires_at > now()

-- What is known of keys that were there before, and whether their time is over:
-- asked as a column, because a condition would invite the planner to read all
-- that have time left.
SELECT k.shard, k.scope, k.key, k.id, k.fingerprint, k.expires_at > now()
FROM unnest($1::smallint[], $2::text[], $3::text[]) AS wanted (shard, scope, key)
JOIN malote.event_keys k ON k.shard = wanted.shard AND k.scope = wanted.scope AND k.key = wanted.key

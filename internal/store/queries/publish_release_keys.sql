-- Only keys that this transaction itself inserted: they name its own events.
DELETE FROM malote.event_keys k
USING unnest($1::smallint[], $2::text[], $3::text[], $4::uuid[]) AS mine (shard, scope, key, id)
WHERE k.shard = mine.shard AND k.scope = mine.scope AND k.key = mine.key AND k.id = mine.id

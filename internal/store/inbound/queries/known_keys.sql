-- Whether their time is over is asked as a column: as a condition it would invite
-- the planner to read all that have time left.
SELECT k.key, k.expires_at > now()
FROM unnest($3::text[]) AS wanted (key)
JOIN malote.event_keys k ON k.shard = $1 AND k.scope = $2 AND k.key = wanted.key

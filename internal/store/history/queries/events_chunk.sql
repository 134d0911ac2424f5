-- Where the first so many events of a range end: the next one's id.
SELECT e.id
FROM malote.events e
WHERE e.shard = $1 AND e.tenant = $2 AND e.id >= $3 AND e.id < $4
ORDER BY e.id
OFFSET $5 LIMIT 1

-- Where the first so many events of a range end: the next one's id.
SELECT e.id
FROM malote.events e
WHERE e.shard = $1 AND e.tenant = $2 AND e.id >= $3 AND e.id < $4
    AND ($5::uuid IS NULL OR e.source_id = $5) AND ($6 = '' OR e.external_id = $6)
ORDER BY e.id
OFFSET $7 LIMIT 1

SELECT h.source_id, h.hour, h.accepted, h.duplicates, h.filtered, h.rejected
FROM malote.source_hours h
WHERE h.shard = $1 AND h.source_id = $2 AND h.hour >= $3 AND h.hour < $4
ORDER BY h.hour

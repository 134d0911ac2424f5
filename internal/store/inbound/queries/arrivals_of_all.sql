-- Over all shards: only an administrator asks. Sources with nothing are left out.
SELECT s.id, $1::timestamptz, sum(h.accepted)::bigint, sum(h.duplicates)::bigint, sum(h.filtered)::bigint, sum(h.rejected)::bigint
FROM malote.sources s
JOIN malote.source_hours h ON h.shard = s.shard AND h.source_id = s.id
WHERE s.deleted_at IS NULL AND h.hour >= $1 AND h.hour < $2
GROUP BY s.id

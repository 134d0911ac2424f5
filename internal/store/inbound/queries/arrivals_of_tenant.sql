-- Sources with nothing are left out.
SELECT s.id, $3::timestamptz, sum(h.accepted)::bigint, sum(h.duplicates)::bigint, sum(h.filtered)::bigint, sum(h.rejected)::bigint
FROM malote.sources s
JOIN malote.source_hours h ON h.shard = s.shard AND h.source_id = s.id
WHERE s.shard = $1 AND s.tenant = $2 AND s.deleted_at IS NULL AND h.hour >= $3 AND h.hour < $4
GROUP BY s.id

-- The newest $3 hours from $1 to before $2 that are not summed up.
SELECT h.hour
FROM generate_series($2::timestamptz - interval '1 hour', $1::timestamptz, interval '-1 hour') AS h (hour)
WHERE NOT EXISTS (SELECT 1 FROM malote.hour_stats s WHERE s.hour = h.hour)
ORDER BY h.hour DESC
LIMIT $3

-- All lanes together, summed up when the hours were over.
SELECT s.hour, s.ok, s.failed, s.latency
FROM malote.hour_stats s
WHERE s.hour >= $1 AND s.hour < $2

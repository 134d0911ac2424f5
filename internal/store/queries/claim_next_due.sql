-- Seconds until the earliest lane may have work.
SELECT extract(epoch FROM l.ready_at - now())::double precision
FROM malote.lanes l
WHERE l.ready_at < 'infinity'
ORDER BY l.ready_at
LIMIT 1

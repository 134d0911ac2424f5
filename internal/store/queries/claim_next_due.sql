-- Seconds until the earliest lane may have work; NULL if none is known to.
SELECT extract(epoch FROM (
    SELECT l.ready_at FROM malote.lanes l
    WHERE l.ready_at < 'infinity'
    ORDER BY l.ready_at
    LIMIT 1
) - now())::double precision

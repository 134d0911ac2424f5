-- Seconds until the earliest of the lanes that may be claimed from has work; NULL
-- if none is known to.
SELECT extract(epoch FROM (
    SELECT l.ready_at FROM malote.lanes l
    WHERE /*{shard l}*/ l.ready_at < 'infinity'
        AND (NOT $1::boolean OR NOT l.suspect)
        AND NOT l.endpoint_id = ANY($2::uuid[])
    ORDER BY l.ready_at
    LIMIT 1
) - now())::double precision

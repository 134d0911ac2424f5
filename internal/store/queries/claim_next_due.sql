-- Seconds until the earliest of the lanes that may be claimed from has work; NULL
-- if none is known to.
SELECT extract(epoch FROM min(earliest.ready_at) - now())::double precision
FROM unnest($1::text[]) AS wanted (standing)
CROSS JOIN LATERAL (
    SELECT l.ready_at FROM malote.lanes l
    WHERE /*{shard l}*/ l.standing = wanted.standing AND l.ready_at < 'infinity'
        AND NOT l.endpoint_id = ANY($2::uuid[])
    ORDER BY l.ready_at
    LIMIT 1
) earliest

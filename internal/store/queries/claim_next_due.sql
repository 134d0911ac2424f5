-- Seconds (by the clock: the lanes of this claim are back in line, microseconds apart
-- from its beginning) until the earliest of the lanes of each standing has work, and until the
-- earliest of those without some; NULL if none is known to.
SELECT wanted.standing, extract(epoch FROM (
    SELECT l.ready_at FROM malote.lanes l
    WHERE /*{shard l}*/ l.standing = wanted.standing AND l.ready_at < 'infinity'
    ORDER BY l.ready_at
    LIMIT 1
) - clock_timestamp())::double precision, extract(epoch FROM (
    SELECT l.ready_at FROM malote.lanes l
    WHERE /*{shard l}*/ l.standing = wanted.standing AND l.ready_at < 'infinity'
        AND NOT l.endpoint_id = ANY($2::uuid[])
    ORDER BY l.ready_at
    LIMIT 1
) - clock_timestamp())::double precision
FROM unnest($1::text[]) AS wanted (standing)

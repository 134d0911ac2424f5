-- Hours before $1, at most $2.
WITH old AS MATERIALIZED (
    SELECT s.hour
    FROM malote.hour_stats s
    WHERE s.hour < $1
    ORDER BY s.hour
    LIMIT $2
)
DELETE FROM malote.hour_stats s
USING old
WHERE s.hour = old.hour

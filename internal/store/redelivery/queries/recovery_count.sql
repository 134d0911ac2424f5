-- How many of the first rows of a window a recovery would look at, as
-- survey_window.sql says, and where those rows end.
SELECT seen.id, seen.place, seen.wanted
FROM (
    SELECT d.id, row_number() OVER so_far AS place, count(*) FILTER (
        WHERE d.state = ANY ($5) AND d.trigger <> 'test'
            AND (d.state <> 'skipped' OR d.reason = 'endpoint_disabled')) OVER so_far AS wanted
    FROM malote.deliveries d
    WHERE d.shard = $1 AND d.endpoint_id = $2 AND d.id > $3 AND (d.id, d.shard) < ($4, $1)
    WINDOW so_far AS (ORDER BY d.id ROWS UNBOUNDED PRECEDING)
    ORDER BY d.id
    LIMIT $6
) seen
ORDER BY seen.id DESC
LIMIT 1

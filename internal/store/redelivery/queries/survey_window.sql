-- The next of a recovery, not locked: of what was skipped only what the endpoint
-- missed while it was disabled, not what it never wanted; and never a test. Stops
-- when enough were found, or after so many rows of whatever kind, of which the last
-- is given, too: it says where to go on.
--
-- The upper bound is written as a row; the shard being given, it says the same. Of a
-- plain pair of bounds a planner without statistics (the first minute of a day's
-- partition) expects so little that the primary key, which has the whole shard
-- between them, looks as cheap as the endpoint's own index.
SELECT seen.id, seen.coalesce_key, seen.is_wanted, seen.place
FROM (
    SELECT d.id, coalesce(d.coalesce_key, '') AS coalesce_key, row_number() OVER (ORDER BY d.id) AS place,
        d.state = ANY ($5) AND d.trigger <> 'test'
            AND (d.state <> 'skipped' OR d.reason = 'endpoint_disabled') AS is_wanted
    FROM malote.deliveries d
    WHERE d.shard = $1 AND d.endpoint_id = $2 AND d.id > $3 AND (d.id, d.shard) < ($4, $1)
    ORDER BY d.id
    LIMIT $6
) seen
WHERE seen.is_wanted OR seen.place = $6
ORDER BY seen.id
LIMIT $7

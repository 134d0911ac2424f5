-- How much waits and since when, counted up to $1 rows.
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(o.written_at)), 0)::float8,
    (SELECT count(*) FROM (SELECT 1 FROM malote.outbox_refused LIMIT $1) AS refused)
FROM (SELECT x.written_at FROM malote.outbox AS x ORDER BY x.position LIMIT $1) AS o

-- Places in strictly ordered lanes, in ascending order.
SELECT array_agg(p.position ORDER BY p.position)
FROM (SELECT nextval('malote.fifo_positions') AS position FROM generate_series(1, $1)) p

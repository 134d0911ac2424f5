-- The clock first, the locks after: MATERIALIZED keeps them in that order.
-- pg_locks shows the upper and lower half of a key in columns of their own.
WITH clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now
), oldest AS (
    SELECT to_timestamp(min(((l.classid::bigint & 65535) << 32) | l.objid::bigint) / 1000.0) AS at
    FROM clock, pg_locks l
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.classid::bigint >> 16 = $1
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        AND clock.now IS NOT NULL
)
SELECT least(clock.now, oldest.at) FROM clock, oldest

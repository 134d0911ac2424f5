-- What this transaction publishes will have ids of later than this instant: who
-- pages through events stops there until the lock is gone, and it goes with the
-- commit. Readers decode the key: see open_publishers.sql.
SELECT pg_advisory_xact_lock_shared(($1::bigint << 48) | floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)

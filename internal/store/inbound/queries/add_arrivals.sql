INSERT INTO malote.source_hours AS h (shard, source_id, hour, accepted, duplicates, filtered, rejected)
SELECT a.shard, a.source_id, a.hour, a.accepted, a.duplicates, a.filtered, a.rejected
FROM unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    AS a (shard, source_id, hour, accepted, duplicates, filtered, rejected)
ON CONFLICT (shard, source_id, hour) DO UPDATE
SET accepted = h.accepted + excluded.accepted, duplicates = h.duplicates + excluded.duplicates,
    filtered = h.filtered + excluded.filtered, rejected = h.rejected + excluded.rejected

INSERT INTO malote.lane_stats AS s (shard, endpoint_id, hour, ok, failed, total_ms,
    le_10, le_25, le_50, le_100, le_250, le_500, le_1000, le_2500, le_5000, le_10000, le_inf)
SELECT r.shard, r.endpoint_id, r.hour, r.ok, r.failed, r.total_ms,
    r.le_10, r.le_25, r.le_50, r.le_100, r.le_250, r.le_500, r.le_1000, r.le_2500, r.le_5000, r.le_10000, r.le_inf
FROM unnest($1::smallint[], $2::uuid[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
    $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[])
    AS r (shard, endpoint_id, hour, ok, failed, total_ms,
        le_10, le_25, le_50, le_100, le_250, le_500, le_1000, le_2500, le_5000, le_10000, le_inf)
ON CONFLICT (shard, endpoint_id, hour) DO UPDATE
SET ok = s.ok + excluded.ok, failed = s.failed + excluded.failed, total_ms = s.total_ms + excluded.total_ms,
    le_10 = s.le_10 + excluded.le_10, le_25 = s.le_25 + excluded.le_25, le_50 = s.le_50 + excluded.le_50,
    le_100 = s.le_100 + excluded.le_100, le_250 = s.le_250 + excluded.le_250, le_500 = s.le_500 + excluded.le_500,
    le_1000 = s.le_1000 + excluded.le_1000, le_2500 = s.le_2500 + excluded.le_2500,
    le_5000 = s.le_5000 + excluded.le_5000, le_10000 = s.le_10000 + excluded.le_10000,
    le_inf = s.le_inf + excluded.le_inf

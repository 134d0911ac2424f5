INSERT INTO malote.rejections (shard, id, source_id, tenant, reason, detail, count, first_at, last_at)
SELECT r.shard, r.id, r.source_id, r.tenant, r.reason, r.detail, r.count, r.first_at, r.last_at
FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[],
    $8::timestamptz[], $9::timestamptz[])
    AS r (shard, id, source_id, tenant, reason, detail, count, first_at, last_at)

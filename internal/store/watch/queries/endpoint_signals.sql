INSERT INTO malote.signals (shard, id, tenant, endpoint_id, kind, detail)
SELECT r.shard, r.id, r.tenant, r.endpoint_id, r.kind, r.detail
FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[])
    AS r (shard, id, tenant, endpoint_id, kind, detail)

-- What somebody should hear of: see signalRow.
INSERT INTO malote.signals (shard, id, tenant, endpoint_id, delivery_id, event_id, event_type, kind, detail)
SELECT r.shard, r.id, r.tenant, r.endpoint_id, r.delivery_id, r.event_id, r.event_type, r.kind, r.detail
FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[])
    AS r (shard, id, tenant, endpoint_id, delivery_id, event_id, event_type, kind, detail)

INSERT INTO malote.events (shard, id, tenant, type, content_type, body,
    idempotency_key, coalesce_key, entity_version, external_id, occurred_at, accepted_at, source_id, headers, traceparent)
SELECT r.shard, r.id, r.tenant, r.type, r.content_type, r.body,
    r.idempotency_key, r.coalesce_key, r.entity_version, r.external_id, r.occurred_at, r.accepted_at, r.source_id, r.headers::json, r.traceparent
FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bytea[],
    $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[],
    $13::uuid[], $14::text[], $15::text[])
    AS r (shard, id, tenant, type, content_type, body,
        idempotency_key, coalesce_key, entity_version, external_id, occurred_at, accepted_at, source_id, headers, traceparent)

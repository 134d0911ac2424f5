INSERT INTO malote.audit_log (shard, id, tenant, actor_kind, actor_id, actor_name, by_operator, operation, subject_kind,
    subject_id, detail, address)
SELECT r.shard, r.id, nullif(r.tenant, ''), $4, $5, $6, $7, $8, r.subject_kind, r.subject_id, r.detail, $9
FROM unnest($1::smallint[], $2::uuid[], $3::text[], $10::text[], $11::text[], $12::text[])
    AS r (shard, id, tenant, subject_kind, subject_id, detail)

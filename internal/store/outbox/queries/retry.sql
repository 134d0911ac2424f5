-- Puts refused rows back, all or those named, each with its id: what was carried
-- in the meantime is recognised by it.
WITH back AS (
    DELETE FROM malote.outbox_refused AS r WHERE r.id = ANY($1::text[]::uuid[]) OR $2
    RETURNING r.id, r.tenant, r.type, r.content_type, r.body, r.idempotency_key, r.coalesce_key, r.entity_version,
        r.external_id, r.occurred_at, r.endpoint_ids, r.written_at
)
INSERT INTO malote.outbox (id, tenant, type, content_type, body,
    idempotency_key, coalesce_key, entity_version, external_id, occurred_at, endpoint_ids, written_at)
SELECT b.id, b.tenant, b.type, b.content_type, b.body, b.idempotency_key, b.coalesce_key, b.entity_version,
    b.external_id, b.occurred_at, b.endpoint_ids, b.written_at
FROM back AS b ORDER BY b.written_at, b.id

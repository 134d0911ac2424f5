-- Keeps rows that were taken and cannot be carried, with the reason. A row that
-- is here already keeps its first reason's place and gets the newer reason.
INSERT INTO malote.outbox_refused AS r (id, tenant, type, content_type, body,
    idempotency_key, coalesce_key, entity_version, external_id, occurred_at, endpoint_ids, written_at, reason, refused_at)
VALUES ($1::text::uuid, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), nullif($8, ''), nullif($9, ''), $10, $11, $12, $13, now())
ON CONFLICT (id) DO UPDATE SET reason = excluded.reason

-- Takes up to $2 rows of at most $3 bytes together (one of more goes alone) that
-- nobody else has, above position $1. Rows that another transaction holds or has
-- not committed are passed by.
--
-- Rows that were not written by the publish functions may hold what the relay could
-- not read, or more than it can hold: they are put aside here, unseen.
WITH locked AS MATERIALIZED (
    SELECT o.position, octet_length(o.body) AS bytes
    FROM malote.outbox AS o
    WHERE o.position > $1
    ORDER BY o.position
    LIMIT $2
    FOR UPDATE SKIP LOCKED
), picked AS (
    SELECT l.position
    FROM (SELECT locked.position, locked.bytes,
            sum(locked.bytes) OVER (ORDER BY locked.position) AS together, row_number() OVER (ORDER BY locked.position) AS place
        FROM locked) AS l
    WHERE l.together <= $3 OR l.place = 1
), gone AS (
    DELETE FROM malote.outbox AS o
    USING picked
    WHERE o.position = picked.position
    RETURNING o.position, o.id, o.tenant, o.type, o.content_type, o.body, o.idempotency_key, o.coalesce_key, o.entity_version,
        o.external_id, o.occurred_at, o.endpoint_ids, o.written_at,
        octet_length(o.body) <= 33554432 AND octet_length(o.tenant) <= 64 AND octet_length(o.type) <= 256
            AND octet_length(coalesce(o.content_type, '')) <= 256 AND octet_length(coalesce(o.idempotency_key, '')) <= 256
            AND octet_length(coalesce(o.coalesce_key, '')) <= 256 AND octet_length(coalesce(o.entity_version, '')) <= 256
            AND octet_length(coalesce(o.external_id, '')) <= 256
            AND o.written_at >= '1970-01-01 00:00:00+00' AND o.written_at < '10000-01-01 00:00:00+00'
            AND coalesce(o.occurred_at >= '1970-01-01 00:00:00+00' AND o.occurred_at < '10000-01-01 00:00:00+00', true)
            AND array_position(o.endpoint_ids, NULL) IS NULL AND coalesce(pg_column_size(o.endpoint_ids), 0) <= 65536 AS readable
), aside AS (
    INSERT INTO malote.outbox_refused AS r (id, tenant, type, content_type, body,
        idempotency_key, coalesce_key, entity_version, external_id, occurred_at, endpoint_ids, written_at, reason, refused_at)
    SELECT g.id, g.tenant, g.type, g.content_type, g.body, g.idempotency_key, g.coalesce_key, g.entity_version, g.external_id,
        g.occurred_at, g.endpoint_ids, CASE WHEN g.written_at BETWEEN '1970-01-01 00:00:00+00' AND now() THEN g.written_at ELSE now() END,
        'it is longer, or at a time further away, than an event can be (a body of over 32 MiB, a key of over 256 bytes): publish it with malote.publish(), which says what is wrong',
        now()
    FROM gone AS g WHERE NOT g.readable
    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason
)
SELECT g.position, g.id::text, g.tenant, g.type, g.content_type, g.body,
    coalesce(g.idempotency_key, ''), coalesce(g.coalesce_key, ''), coalesce(g.entity_version, ''), coalesce(g.external_id, ''),
    g.occurred_at, g.endpoint_ids, g.written_at
FROM gone AS g WHERE g.readable ORDER BY g.position

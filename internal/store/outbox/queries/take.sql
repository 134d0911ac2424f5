-- Takes up to $2 rows of at most $3 bytes together (one of more goes alone) that
-- nobody else has, above position $1. Rows that another transaction holds or has
-- not committed are passed by.
WITH locked AS MATERIALIZED (
    SELECT o.position, octet_length(o.body) AS bytes
    FROM malote.outbox AS o
    WHERE o.position > $1
    ORDER BY o.position
    LIMIT $2
    FOR UPDATE SKIP LOCKED
), picked AS (
    SELECT l.position
    FROM (SELECT locked.position, sum(locked.bytes) OVER up AS bytes, row_number() OVER up AS place
        FROM locked WINDOW up AS (ORDER BY locked.position)) AS l
    WHERE l.bytes <= $3 OR l.place = 1
)
DELETE FROM malote.outbox AS o
USING picked
WHERE o.position = picked.position
RETURNING o.position, o.id::text, o.tenant, o.type, o.content_type, o.body,
    coalesce(o.idempotency_key, ''), coalesce(o.coalesce_key, ''), coalesce(o.entity_version, ''), coalesce(o.external_id, ''),
    o.occurred_at, o.endpoint_ids, o.written_at

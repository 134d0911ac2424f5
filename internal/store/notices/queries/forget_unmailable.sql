-- Over all shards: signals of tenants that named nobody to mail them to, or that
-- are malote's own, or all if nothing can be mailed. At most $2.
WITH unmailable AS MATERIALIZED (
    SELECT s.shard, s.id
    FROM malote.signals s
    LEFT JOIN malote.tenants t ON t.shard = s.shard AND t.id = s.tenant
    WHERE s.mailed_at IS NULL AND s.kind IN ('delivery_dead', 'endpoint_failing', 'endpoint_disabled')
        AND ($1 OR t.id IS NULL OR s.tenant = 'malote'
            OR s.kind = 'delivery_dead' AND t.alert_emails = '{}'
            OR s.kind <> 'delivery_dead' AND t.technical_contact = '')
    LIMIT $2
)
UPDATE malote.signals s
SET mailed_at = now()
FROM unmailable u
WHERE s.shard = u.shard AND s.id = u.id AND s.mailed_at IS NULL

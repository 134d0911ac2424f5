-- Unless it was told within the period.
INSERT INTO malote.signals (shard, id, tenant, delivery_id, kind, detail)
SELECT $1, $2, $3, $4, $5, $6
WHERE NOT EXISTS (
    SELECT 1 FROM malote.signals told
    WHERE told.shard = $1 AND told.tenant = $3 AND told.kind = $5 AND told.created_at > now() - make_interval(secs => $7))

-- A row to lock for every kind.
INSERT INTO malote.notice_windows (shard, tenant, kind)
SELECT $1, $2, wanted.kind
FROM unnest($3::text[]) AS wanted (kind)
ORDER BY wanted.kind
ON CONFLICT (shard, tenant, kind) DO NOTHING

-- Publishers must see that an endpoint was disabled.
UPDATE malote.tenants t
SET endpoints_version = t.endpoints_version + 1
WHERE t.shard = $1 AND t.id = $2

-- Which of the tenants exist, and the version of their endpoints.
SELECT t.id, t.endpoints_version
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, id)
JOIN malote.tenants t ON t.shard = wanted.shard AND t.id = wanted.id

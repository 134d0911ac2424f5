-- All live endpoints of the tenants, in one snapshot with the version.
SELECT t.id, t.endpoints_version, e.id, e.policy, e.event_types, e.filter,
    coalesce(l.status, 'deleted'), l.fifo_since IS NOT NULL
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, id)
JOIN malote.tenants t ON t.shard = wanted.shard AND t.id = wanted.id
LEFT JOIN malote.endpoints e ON e.shard = t.shard AND e.tenant = t.id AND e.deleted_at IS NULL
LEFT JOIN malote.lanes l ON l.shard = e.shard AND l.endpoint_id = e.id
ORDER BY t.id, e.id

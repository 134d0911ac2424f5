-- All that is dead of an endpoint, but for tests. The tenant's name leads to the
-- index of dead deliveries, past all that went well.
SELECT d.id, coalesce(d.coalesce_key, '')
FROM malote.deliveries d
WHERE d.shard = $1 AND d.tenant = $2 AND d.endpoint_id = $3 AND d.state = 'dead' AND d.trigger <> 'test'
ORDER BY d.id

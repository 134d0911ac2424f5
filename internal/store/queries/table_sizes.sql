-- How large the tables are that hot statements read, always in one order.
SELECT pg_relation_size(c.oid)
FROM pg_class c
WHERE c.relnamespace = 'malote'::regnamespace
    AND c.relname IN ('tenants', 'endpoints', 'endpoint_secrets', 'lanes', 'queue', 'event_keys')
ORDER BY c.relname

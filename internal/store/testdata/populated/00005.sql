-- What version 5 may have left besides.

INSERT INTO malote.audit_log (shard, id, tenant, actor_kind, actor_id, actor_name, by_operator, operation, subject_kind, subject_id,
    detail, address)
VALUES (555, '019ca8a7-9180-7000-b3a2-6be1b28cce2b', 'acme', 'api_key', 'key_01k2m5h40yf8ea7m2v6t5c1hbg', 'shop', false,
        'update-webhook-endpoint', 'webhook_endpoint', 'whe_01k2m5h40yf8ea7m2v6t5c1hbg', 'url', '203.0.113.9'),
    (0, '019ca8a7-9180-7000-b3a2-6be1b28cc000', NULL, 'admin_key', '', '', true, 'create-policy', 'policy', 'ours', '', '');

INSERT INTO malote.pulses (process, at, seconds, published, ok, failed, latency)
VALUES ('somebody', '2026-03-01 09:00Z', 2, 3, 4, 5, '{0, 4, 5}');

INSERT INTO malote.hour_stats (hour, ok, failed, total_ms, latency) VALUES ('2026-03-01 08:00Z', 3, 1, 44, '{1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}');

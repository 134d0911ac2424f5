-- A database as version 3 may have left it: a row in every table, what is open
-- and what is closed, in the partitions of one day long ago. The tenant is acme,
-- whose shard is 555. What is pending must still be delivered.

INSERT INTO malote.tenants (shard, id, name, priority, alert_emails, technical_contact, endpoints_version)
VALUES (555, 'acme', 'Acme', 3, '{ops@example.com}', 'dev@example.com', 7);

INSERT INTO malote.api_keys (shard, id, tenant, scope, name, hash)
VALUES (0, '019ca8a0-3e80-7000-8116-60e7c4b45000', NULL, 'admin', 'first', sha256('a')),
    (555, '019ca8a0-3e80-7000-8116-60e7c4b45e2b', 'acme', 'publish', 'shop', sha256('b'));

INSERT INTO malote.policies (name, source, version) VALUES ('ours', 'name: ours', 2);

INSERT INTO malote.endpoints (shard, id, tenant, url, policy, event_types, max_in_flight, headers, at_most_once, description, metadata)
VALUES (555, '019ca8a1-28e0-7000-aa35-80070cd0162b', 'acme', 'https://hooks.example.com/a', 'standard', '{order.*}', 4,
    '{"X-Team": "one"}', false, 'the shop', '{"n": 1}');

INSERT INTO malote.endpoint_secrets (shard, id, endpoint_id, value)
VALUES (555, '019ca8a2-1340-7000-adcb-3e4340dbd22b', '019ca8a1-28e0-7000-aa35-80070cd0162b', 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz');

INSERT INTO malote.sources (shard, id, tenant, name, provider)
VALUES (555, '019ca8a2-fda0-7000-9cd4-f9c75efd862b', 'acme', 'payments', 'generic');

INSERT INTO malote.source_secrets (shard, id, source_id, value)
VALUES (555, '019ca8a3-e800-7000-a3ac-6be64ca44e2b', '019ca8a2-fda0-7000-9cd4-f9c75efd862b', 's3cret');

-- Parked: the program ended before it woke the lane for what is pending.
INSERT INTO malote.lanes (shard, endpoint_id, tenant, max_in_flight, lease_seconds, claim_limit, consecutive_failures,
    first_failure_at, last_failure_at)
VALUES (555, '019ca8a1-28e0-7000-aa35-80070cd0162b', 'acme', 4, 60, 4, 1, '2026-03-01 09:06Z', '2026-03-01 09:06Z');

CREATE TABLE malote.events_20260301 PARTITION OF malote.events
    FOR VALUES FROM ('019ca6b1-dc00-7000-0000-000000000000') TO ('019cabd8-3800-7000-0000-000000000000');
CREATE TABLE malote.event_renderings_20260301 PARTITION OF malote.event_renderings
    FOR VALUES FROM ('019ca6b1-dc00-7000-0000-000000000000') TO ('019cabd8-3800-7000-0000-000000000000');
CREATE TABLE malote.deliveries_20260301 PARTITION OF malote.deliveries
    FOR VALUES FROM ('019ca6b1-dc00-7000-0000-000000000000') TO ('019cabd8-3800-7000-0000-000000000000');
CREATE TABLE malote.attempts_20260301 PARTITION OF malote.attempts
    FOR VALUES FROM ('019ca6b1-dc00-7000-0000-000000000000') TO ('019cabd8-3800-7000-0000-000000000000');

INSERT INTO malote.events (shard, id, tenant, type, content_type, body, idempotency_key, coalesce_key, entity_version, external_id,
    occurred_at, accepted_at)
VALUES (555, '019ca8a4-d260-7000-85d0-25bd1bbf062b', 'acme', 'order.paid', 'application/json',
        convert_to('{"nul":"\u0000", "n":12345678901234567890}', 'UTF8'), 'key-1', NULL, NULL, NULL, '2026-03-01 09:05Z', '2026-03-01 09:05Z'),
    (555, '019ca8a5-bcc0-7000-8d2c-ce9aa0f9be2b', 'acme', 'order.changed', 'application/json',
        '{}', NULL, 'order-7', '3', 'ext-7', '2026-03-01 09:06Z', '2026-03-01 09:06Z');

INSERT INTO malote.event_renderings (shard, event_id, rendering, body)
VALUES (555, '019ca8a5-bcc0-7000-8d2c-ce9aa0f9be2b', 1, '{"other":"envelope"}');

INSERT INTO malote.event_keys (shard, scope, key, id, fingerprint, expires_at)
VALUES (555, 'publish:acme', 'key-1', '019ca8a4-d260-7000-85d0-25bd1bbf062b', sha256('c'), now() + interval '1 day');

INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, attempt_count, cycle_attempt, next_attempt_at,
    cycle_started_at, cycle_first_attempt_at, last_status, last_error)
VALUES (555, '019ca8a4-d260-7000-9b02-41e2c9fa0a2b', '019ca8a1-28e0-7000-aa35-80070cd0162b', '019ca8a4-d260-7000-85d0-25bd1bbf062b',
    'acme', 'pending', 'schedule', 1, 1, '2026-03-01 09:11Z', '2026-03-01 09:05Z', '2026-03-01 09:06Z', 500, 'http_status');

INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, reason, trigger, attempt_count, last_status,
    last_error, coalesce_key, closed_at)
VALUES (555, '019ca8a5-bcc0-7000-a4d1-0be6e1c1de2b', '019ca8a1-28e0-7000-aa35-80070cd0162b', '019ca8a5-bcc0-7000-8d2c-ce9aa0f9be2b',
    'acme', 'dead', 'too_large', 'schedule', 1, 413, 'http_status', 'order-7', '2026-03-01 09:07Z');

INSERT INTO malote.attempts (shard, delivery_id, claim_token, number, trigger, scheduled_at, started_at, duration_ms,
    response_status, error_code, error, response)
VALUES (555, '019ca8a4-d260-7000-9b02-41e2c9fa0a2b', '019ca8a5-bcc0-7000-92ce-aac444746e2b', 1, 'schedule', '2026-03-01 09:05Z',
        '2026-03-01 09:06Z', 12, 500, 'http_status', '', 'oops'),
    (555, '019ca8a5-bcc0-7000-a4d1-0be6e1c1de2b', '019ca8a6-a720-7000-82ed-569d8be4c22b', 1, 'schedule', '2026-03-01 09:06Z',
        '2026-03-01 09:07Z', 9, 413, 'http_status', '', NULL);

INSERT INTO malote.lane_stats (shard, endpoint_id, hour, failed, total_ms, le_25, le_10)
VALUES (555, '019ca8a1-28e0-7000-aa35-80070cd0162b', '2026-03-01 09:00Z', 2, 21, 1, 1);

INSERT INTO malote.signals (shard, id, tenant, endpoint_id, delivery_id, kind, detail)
VALUES (555, '019ca8a7-9180-7000-8ae0-2803fcda0a2b', 'acme', '019ca8a1-28e0-7000-aa35-80070cd0162b',
    '019ca8a5-bcc0-7000-a4d1-0be6e1c1de2b', 'circuit_opened', '10 consecutive failures');

INSERT INTO malote.outbox (shard, tenant, type, body, is_data) VALUES (555, 'acme', 'order.paid', '{"n":1}', true);

INSERT INTO malote.maintenance_tasks (name, last_run_at) VALUES ('sweep', '2026-03-01 09:08Z');

UPDATE malote.endpoints SET rate_limit = 50, fifo = true, filter = 'data.total > 10', secret_headers = '{"Authorization": "Basic eA=="}';
UPDATE malote.lanes SET weight = 4, turn_left = 2, rate_limit = 50, rate_burst = 5, rate_ready_at = '2026-03-01 09:06Z';

INSERT INTO malote.recoveries (shard, id, tenant, endpoint_id, since, until, states, total, recovered, position)
VALUES (555, '019ca8a7-9180-7000-93a2-6be1b28cce2b', 'acme', '019ca8a1-28e0-7000-aa35-80070cd0162b', '2026-03-01 09:00Z',
    '2026-03-01 10:00Z', '{dead}', 2, 1, '019ca8a5-bcc0-7000-a4d1-0be6e1c1de2b');

INSERT INTO malote.secret_keys (id) VALUES ('0123456789abcdef');

UPDATE malote.events SET source_id = '019ca8a2-fda0-7000-9cd4-f9c75efd862b', headers = '[["X-GitHub-Event", "push"]]';

INSERT INTO malote.rejections (shard, id, source_id, tenant, reason, count, first_at, last_at)
VALUES (555, '019ca8a7-9180-7000-a3a2-6be1b28cce2b', '019ca8a2-fda0-7000-9cd4-f9c75efd862b', 'acme', 'bad_signature', 3,
    '2026-03-01 09:00Z', '2026-03-01 09:01Z');

UPDATE malote.source_secrets SET name = 'main', role = 'signature';

INSERT INTO malote.gap_repairs (shard, source_id, position, checked_at, found, failed_at, last_error)
VALUES (555, '019ca8a2-fda0-7000-9cd4-f9c75efd862b', 'evt_9', '2026-03-01 09:00Z', 2, '2026-03-01 09:05Z', 'the provider answered 503');

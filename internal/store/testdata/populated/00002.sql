-- What version 2 may have left besides.

UPDATE malote.endpoints SET rate_limit = 50, fifo = true, filter = 'data.total > 10', secret_headers = '{"Authorization": "Basic eA=="}';
UPDATE malote.lanes SET weight = 4, turn_left = 2, rate_limit = 50, rate_burst = 5, rate_ready_at = '2026-03-01 09:06Z';

INSERT INTO malote.recoveries (shard, id, tenant, endpoint_id, since, until, states, total, recovered, position)
VALUES (555, '019ca8a7-9180-7000-93a2-6be1b28cce2b', 'acme', '019ca8a1-28e0-7000-aa35-80070cd0162b', '2026-03-01 09:00Z',
    '2026-03-01 10:00Z', '{dead}', 2, 1, '019ca8a5-bcc0-7000-a4d1-0be6e1c1de2b');

INSERT INTO malote.secret_keys (id) VALUES ('0123456789abcdef');

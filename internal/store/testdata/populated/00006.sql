-- What version 6 may have left besides.

INSERT INTO malote.signals (shard, id, tenant, kind, subject, detail, mailed_at)
VALUES (555, '019ca8a7-9180-7000-9a1c-3be1b28cce2b', 'acme', 'delivery_dead', '', 'too_large', '2026-03-01 09:10Z');

INSERT INTO malote.notice_windows (shard, tenant, kind, last_at) VALUES (555, 'acme', 'delivery_dead', '2026-03-01 09:10Z');

INSERT INTO malote.notices (shard, key, kind, type, data, recipient, occurred_at)
VALUES (555, 'sig_01k9w3zq4xf8ea7m2v6t5c1hbg', 'delivery_dead', 'malote.delivery.dead', '{"count":1}', '', '2026-03-01 09:07Z');

INSERT INTO malote.conditions (shard, name, raised_at) VALUES (555, 'lag', '2026-03-01 09:10Z');

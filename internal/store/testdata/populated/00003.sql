-- What version 3 may have left besides.

UPDATE malote.events SET source_id = '019ca8a2-fda0-7000-9cd4-f9c75efd862b', headers = '[["X-GitHub-Event", "push"]]';

INSERT INTO malote.rejections (shard, id, source_id, tenant, reason, count, first_at, last_at)
VALUES (555, '019ca8a7-9180-7000-a3a2-6be1b28cce2b', '019ca8a2-fda0-7000-9cd4-f9c75efd862b', 'acme', 'bad_signature', 3,
    '2026-03-01 09:00Z', '2026-03-01 09:01Z');

UPDATE malote.source_secrets SET name = 'main', role = 'signature';

INSERT INTO malote.gap_repairs (shard, source_id, position, checked_at, found, failed_at, last_error)
VALUES (555, '019ca8a2-fda0-7000-9cd4-f9c75efd862b', 'evt_9', '2026-03-01 09:00Z', 2, '2026-03-01 09:05Z', 'the provider answered 503');

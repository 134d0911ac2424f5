-- What version 10 may have left besides.

INSERT INTO malote.source_hours (shard, source_id, hour, accepted, duplicates, filtered, rejected)
VALUES (555, '019ca8a2-fda0-7000-9cd4-f9c75efd862b', '2026-03-01 09:00Z', 5, 2, 1, 3);

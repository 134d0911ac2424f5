-- What version 8 may have left besides.

INSERT INTO malote.users (id, name, login, role, password_hash, password_at)
VALUES ('019ca8a8-7be0-7000-8116-60e7c4b45000', 'Ana@example.com', 'ana@example.com', 'admin',
    '$argon2id$v=19$m=65536,t=3,p=2$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE', '2026-03-01 09:00Z');

INSERT INTO malote.user_links (hash, user_id, expires_at)
VALUES (sha256('l'), '019ca8a8-7be0-7000-8116-60e7c4b45000', '2026-03-02 09:00Z'), (sha256('m'), NULL, '2026-03-02 09:00Z');

INSERT INTO malote.sessions (hash, user_id, tenant, role, framed, expires_at)
VALUES (sha256('s'), '019ca8a8-7be0-7000-8116-60e7c4b45000', NULL, NULL, false, '2026-03-08 09:00Z'),
    (sha256('t'), NULL, 'acme', 'support', true, '2026-03-01 10:00Z');

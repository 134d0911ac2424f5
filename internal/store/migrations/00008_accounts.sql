-- Who may open the dashboard, and who is in it.

-- +goose Up
CREATE TABLE malote.users (
    id            uuid        NOT NULL,
    name          text        NOT NULL, -- an e-mail address, or what else somebody is called, as it was given
    login         text        NOT NULL, -- the name as it is compared: in lower case
    role          text        NOT NULL CHECK (role IN ('viewer', 'support', 'admin')),
    password_hash text        NOT NULL DEFAULT '', -- argon2id with its parameters; '': no password lets the user in
    issuer        text, -- of the identity provider that vouches for the user; NULL: none does
    subject       text, -- whom the issuer means
    created_at    timestamptz NOT NULL DEFAULT now(),
    password_at   timestamptz, -- when the password was set
    seen_at       timestamptz, -- when the user last logged in
    disabled_at   timestamptz,
    PRIMARY KEY (id),
    CHECK ((issuer IS NULL) = (subject IS NULL))
);
CREATE UNIQUE INDEX users_by_login ON malote.users (login);
CREATE UNIQUE INDEX users_by_subject ON malote.users (issuer, subject) WHERE subject IS NOT NULL;

-- Links that let somebody set a password, once.
CREATE TABLE malote.user_links (
    hash       bytea       NOT NULL, -- SHA-256 of the link's token
    user_id    uuid        REFERENCES malote.users (id) ON DELETE CASCADE, -- NULL: the first administrator, who is still to be named
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (hash)
);
CREATE INDEX user_links_of_user ON malote.user_links (user_id);

-- A session is a user's, or a customer's whom a portal link let in.
CREATE TABLE malote.sessions (
    hash       bytea       NOT NULL, -- SHA-256 of the cookie's token
    user_id    uuid        REFERENCES malote.users (id) ON DELETE CASCADE,
    tenant     text, -- in the portal: whose things are all there is
    role       text        CHECK (role IN ('viewer', 'support', 'admin')), -- in the portal; a user's is in users
    framed     boolean     NOT NULL DEFAULT false, -- opened inside of the customer's page
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (hash),
    CHECK ((user_id IS NULL) = (tenant IS NOT NULL)),
    CHECK ((tenant IS NULL) = (role IS NULL))
);
CREATE INDEX sessions_of_user ON malote.sessions (user_id);
CREATE INDEX sessions_by_end ON malote.sessions (expires_at);

-- +goose Down
DROP TABLE malote.sessions;
DROP TABLE malote.user_links;
DROP TABLE malote.users;

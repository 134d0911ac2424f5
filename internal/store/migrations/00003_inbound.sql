-- The inbound door: where an event came from, what was turned away, and how far
-- the repair of gaps has come.

-- +goose Up
ALTER TABLE malote.events
    ADD COLUMN source_id uuid, -- NULL: published by the tenant itself
    ADD COLUMN headers   json; -- passed through from the provider's request: [[name, value], …]

ALTER TABLE malote.sources
    -- Raised by whatever changes the source or its secrets.
    ADD COLUMN version     bigint      NOT NULL DEFAULT 1,
    ADD COLUMN paused_at   timestamptz, -- requests are turned away since then
    ADD COLUMN description text        NOT NULL DEFAULT '';
CREATE INDEX sources_of_tenant ON malote.sources (shard, tenant, id);
ALTER TABLE malote.source_secrets
    -- What the secret may be used for; empty: whatever its provider has one for.
    ADD COLUMN role text NOT NULL DEFAULT '' CHECK (role IN ('', 'signature', 'handshake', 'repair'));
CREATE INDEX secrets_of_source ON malote.source_secrets (shard, source_id);
CREATE INDEX secrets_of_repair ON malote.source_secrets (shard, source_id) WHERE role = 'repair';

-- Requests that were turned away, gathered: no body, and one row for many alike.
CREATE TABLE malote.rejections (
    shard      smallint    NOT NULL,
    id         uuid        NOT NULL,
    source_id  uuid        NOT NULL,
    tenant     text        NOT NULL,
    reason     text        NOT NULL,
    detail     text        NOT NULL DEFAULT '', -- of the last one
    count      bigint      NOT NULL DEFAULT 1,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    PRIMARY KEY (shard, id)
);
CREATE INDEX rejections_of_source ON malote.rejections (shard, source_id, id);
CREATE INDEX rejections_of_tenant ON malote.rejections (shard, tenant, id);

-- How far a provider's own list has been compared with what came in.
CREATE TABLE malote.gap_repairs (
    shard       smallint    NOT NULL,
    source_id   uuid        NOT NULL,
    position    text        NOT NULL DEFAULT '', -- the provider's cursor
    checked_at  timestamptz, -- everything before it was compared
    found       bigint      NOT NULL DEFAULT 0, -- events that had not come in
    failed_at   timestamptz, -- NULL: the last comparison succeeded
    last_error  text        NOT NULL DEFAULT '',
    PRIMARY KEY (shard, source_id)
);

-- +goose Down
DROP TABLE malote.gap_repairs;
DROP TABLE malote.rejections;
DROP INDEX malote.secrets_of_repair, malote.secrets_of_source, malote.sources_of_tenant;
ALTER TABLE malote.source_secrets DROP COLUMN role;
ALTER TABLE malote.sources DROP COLUMN version, DROP COLUMN paused_at, DROP COLUMN description;
ALTER TABLE malote.events DROP COLUMN source_id, DROP COLUMN headers;

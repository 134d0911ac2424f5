-- The tables of docs/decisions/0002-data-model.md.
--
-- Every tenant-owned table begins its primary key with a plain smallint shard,
-- and so does every unique constraint and foreign key: see the rules that keep
-- Citus possible, checked by sqllint_test.go. Hot tables (queue, lanes, events,
-- deliveries, attempts) have no foreign keys: their integrity is the publish
-- and completion transactions' own.

-- +goose Up
CREATE SCHEMA IF NOT EXISTS malote;

-- Configuration ------------------------------------------------------------

CREATE TABLE malote.tenants (
    shard             smallint    NOT NULL,
    id                text        NOT NULL, -- the caller's slug
    name              text        NOT NULL DEFAULT '',
    priority          smallint    NOT NULL DEFAULT 0,
    alert_emails      text[]      NOT NULL DEFAULT '{}',
    technical_contact text        NOT NULL DEFAULT '',
    -- Raised by whatever changes the tenant's endpoints. Publishers keep the
    -- endpoints in memory and read only this number inside their transaction.
    endpoints_version bigint      NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (shard, id)
);

CREATE TABLE malote.api_keys (
    shard        smallint    NOT NULL, -- the tenant's, 0 for keys without one
    id           uuid        NOT NULL,
    tenant       text,
    scope        text        NOT NULL CHECK (scope IN ('admin', 'tenant', 'publish', 'read')),
    name         text        NOT NULL DEFAULT '',
    hash         bytea       NOT NULL, -- SHA-256 of the whole key
    created_at   timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz,
    PRIMARY KEY (shard, id),
    CHECK ((scope = 'admin') = (tenant IS NULL))
);

-- Policies that users wrote; the presets are in the program.
CREATE TABLE malote.policies (
    name       text        NOT NULL PRIMARY KEY,
    source     text        NOT NULL, -- the YAML as it came
    version    bigint      NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE malote.endpoints (
    shard         smallint    NOT NULL,
    id            uuid        NOT NULL,
    tenant        text        NOT NULL,
    url           text        NOT NULL,
    policy        text        NOT NULL,
    event_types   text[]      NOT NULL DEFAULT '{}', -- empty: every type
    max_in_flight integer     CHECK (max_in_flight BETWEEN 1 AND 1000), -- NULL: the policy's
    headers       json        NOT NULL DEFAULT '{}',
    at_most_once  boolean     NOT NULL DEFAULT false,
    description   text        NOT NULL DEFAULT '',
    metadata      json        NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    deleted_at    timestamptz, -- kept, so that history stays readable
    PRIMARY KEY (shard, id),
    FOREIGN KEY (shard, tenant) REFERENCES malote.tenants (shard, id)
);
CREATE INDEX endpoints_of_tenant ON malote.endpoints (shard, tenant, id);

CREATE TABLE malote.endpoint_secrets (
    shard       smallint    NOT NULL,
    id          uuid        NOT NULL,
    endpoint_id uuid        NOT NULL,
    value       bytea       NOT NULL, -- whsec_… or whsk_… as text bytes
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz, -- NULL: until revoked
    PRIMARY KEY (shard, id),
    FOREIGN KEY (shard, endpoint_id) REFERENCES malote.endpoints (shard, id)
);
CREATE INDEX secrets_of_endpoint ON malote.endpoint_secrets (shard, endpoint_id);

-- Inbound sources; the inbound door fills them.
CREATE TABLE malote.sources (
    shard      smallint    NOT NULL,
    id         uuid        NOT NULL,
    tenant     text        NOT NULL,
    name       text        NOT NULL,
    provider   text        NOT NULL,
    settings   json        NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    PRIMARY KEY (shard, id),
    FOREIGN KEY (shard, tenant) REFERENCES malote.tenants (shard, id)
);

CREATE TABLE malote.source_secrets (
    shard      smallint    NOT NULL,
    id         uuid        NOT NULL,
    source_id  uuid        NOT NULL,
    name       text        NOT NULL DEFAULT '',
    value      bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    PRIMARY KEY (shard, id),
    FOREIGN KEY (shard, source_id) REFERENCES malote.sources (shard, id)
);

-- Hot ------------------------------------------------------------------------

-- One row per endpoint: everything about it that changes with traffic.
CREATE TABLE malote.lanes (
    shard                smallint    NOT NULL,
    endpoint_id          uuid        NOT NULL,
    tenant               text        NOT NULL,
    status               text        NOT NULL DEFAULT 'active'
        CHECK (status IN ('active', 'paused', 'disabled_by_user', 'disabled_by_system', 'deleted')),
    disabled_reason      text        NOT NULL DEFAULT '',
    -- Raised by whatever changes the endpoint or its secrets; a claimer reads
    -- the configuration again when it sees a number it does not know.
    config_version       bigint      NOT NULL DEFAULT 1,
    max_in_flight        integer     NOT NULL, -- the endpoint's, or its policy's default
    lease_seconds        integer     NOT NULL, -- the policy's
    -- When the lane may have claimable work; infinity: none, or full.
    ready_at             timestamptz NOT NULL DEFAULT 'infinity',
    -- True while parked because it is full: only a completion wakes it then.
    parked_full          boolean     NOT NULL DEFAULT false,
    -- The last answer took long, or none was seen yet: such lanes may hold only a
    -- share of a process's slots (docs/decisions/0005).
    suspect              boolean     NOT NULL DEFAULT true,
    -- How many may be in flight now: less than max_in_flight while slowed down or probing.
    claim_limit          integer     NOT NULL,
    -- circuit.State, field by field.
    circuit_phase        text        NOT NULL DEFAULT 'closed',
    opened_at            timestamptz,
    opened_count         integer     NOT NULL DEFAULT 0,
    paused_until         timestamptz, -- circuit open until then
    slow_level           integer     NOT NULL DEFAULT 0,
    slowed_at            timestamptz,
    slow_streak          integer     NOT NULL DEFAULT 0,
    slow_successes       integer     NOT NULL DEFAULT 0,
    consecutive_failures integer     NOT NULL DEFAULT 0,
    warned_level         integer     NOT NULL DEFAULT 0,
    first_failure_at     timestamptz,
    last_failure_at      timestamptz,
    last_success_at      timestamptz,
    disabled_at          timestamptz, -- by the system
    PRIMARY KEY (shard, endpoint_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX lanes_ready ON malote.lanes (ready_at, shard) WHERE ready_at < 'infinity';
CREATE INDEX lanes_ready_trusted ON malote.lanes (ready_at, shard) WHERE ready_at < 'infinity' AND NOT suspect;

-- Open deliveries only. A delivery id carries its event's instant.
CREATE TABLE malote.queue (
    shard                  smallint    NOT NULL,
    id                     uuid        NOT NULL,
    endpoint_id            uuid        NOT NULL,
    event_id               uuid        NOT NULL,
    tenant                 text        NOT NULL,
    status                 text        NOT NULL CHECK (status IN ('pending', 'sending')),
    trigger                text        NOT NULL,
    rendering              smallint    NOT NULL DEFAULT 0, -- 0: events.body, else event_renderings
    attempt_count          integer     NOT NULL DEFAULT 0, -- attempts begun over its whole life
    cycle_attempt          integer     NOT NULL DEFAULT 0, -- attempts begun since publish or the last replay
    next_attempt_at        timestamptz NOT NULL,           -- while sending: when this attempt was due
    cycle_started_at       timestamptz NOT NULL,
    cycle_first_attempt_at timestamptz,
    claim_token            uuid,
    lease_until            timestamptz,
    last_status            smallint    NOT NULL DEFAULT 0,
    last_error             text        NOT NULL DEFAULT '',
    coalesce_key           text,
    PRIMARY KEY (shard, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 50000);
CREATE INDEX queue_due ON malote.queue (shard, endpoint_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX queue_in_flight ON malote.queue (shard, endpoint_id, lease_until) WHERE status = 'sending';
-- F13: one pending delivery per endpoint and entity.
CREATE UNIQUE INDEX queue_coalesce ON malote.queue (shard, endpoint_id, coalesce_key)
    WHERE status = 'pending' AND coalesce_key IS NOT NULL;
CREATE INDEX queue_coalesce_sending ON malote.queue (shard, endpoint_id, coalesce_key)
    WHERE status = 'sending' AND coalesce_key IS NOT NULL;

-- The log. Partitioned by day on the UUIDv7 id itself; partitions are made by
-- the program, ahead of time, and there is no default one.
CREATE TABLE malote.events (
    shard           smallint    NOT NULL,
    id              uuid        NOT NULL,
    tenant          text        NOT NULL,
    type            text        NOT NULL,
    content_type    text        NOT NULL,
    body            bytea       NOT NULL, -- exactly what is signed and sent
    idempotency_key text,
    coalesce_key    text,
    entity_version  text,
    external_id     text,
    occurred_at     timestamptz NOT NULL,
    accepted_at     timestamptz NOT NULL,
    PRIMARY KEY (shard, id)
) PARTITION BY RANGE (id);
CREATE INDEX events_of_tenant ON malote.events (shard, tenant, id);

-- The same event as other policies' envelopes shape it, only where endpoints
-- of one event differ: made at publish, once, like the body itself.
CREATE TABLE malote.event_renderings (
    shard     smallint NOT NULL,
    event_id  uuid     NOT NULL,
    rendering smallint NOT NULL,
    body      bytea    NOT NULL,
    PRIMARY KEY (shard, event_id, rendering)
) PARTITION BY RANGE (event_id);

-- "Exactly once": whoever inserts a key first, wins.
CREATE TABLE malote.event_keys (
    shard       smallint    NOT NULL,
    scope       text        NOT NULL, -- what the key is unique within: a tenant, a source
    key         text        NOT NULL,
    id          uuid        NOT NULL, -- what the first one made
    fingerprint bytea       NOT NULL, -- SHA-256 of the request, to tell a repeat from a reuse
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (shard, scope, key)
);
CREATE INDEX event_keys_expiry ON malote.event_keys (expires_at);

-- Closed deliveries, partitioned like their events.
CREATE TABLE malote.deliveries (
    shard            smallint    NOT NULL,
    id               uuid        NOT NULL,
    endpoint_id      uuid, -- NULL: the event matched no endpoint
    event_id         uuid        NOT NULL,
    tenant           text        NOT NULL,
    state            text        NOT NULL
        CHECK (state IN ('delivered', 'dead', 'skipped', 'superseded', 'resolved', 'discarded')),
    reason           text        NOT NULL DEFAULT '',
    resolution       text        NOT NULL DEFAULT '',
    trigger          text        NOT NULL,
    rendering        smallint    NOT NULL DEFAULT 0,
    attempt_count    integer     NOT NULL DEFAULT 0,
    last_status      smallint    NOT NULL DEFAULT 0,
    last_error       text        NOT NULL DEFAULT '',
    coalesce_key     text,
    superseded_by    uuid,
    closed_at        timestamptz NOT NULL,
    PRIMARY KEY (shard, id)
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_of_endpoint ON malote.deliveries (shard, endpoint_id, id);
CREATE INDEX deliveries_dead ON malote.deliveries (shard, tenant, id) WHERE state = 'dead';

-- One row per POST. Partitioned by the claim token, which is made at the claim.
CREATE TABLE malote.attempts (
    shard           smallint    NOT NULL,
    delivery_id     uuid        NOT NULL,
    claim_token     uuid        NOT NULL,
    number          integer     NOT NULL,
    trigger         text        NOT NULL,
    scheduled_at    timestamptz NOT NULL,
    started_at      timestamptz NOT NULL,
    duration_ms     integer     NOT NULL,
    response_status smallint    NOT NULL DEFAULT 0,
    error_code      text        NOT NULL DEFAULT '',
    error           text        NOT NULL DEFAULT '',
    response        bytea,
    PRIMARY KEY (shard, delivery_id, claim_token)
) PARTITION BY RANGE (claim_token);

-- What charts read. Latency counts are of attempts that took at most so many ms.
CREATE TABLE malote.lane_stats (
    shard       smallint    NOT NULL,
    endpoint_id uuid        NOT NULL,
    hour        timestamptz NOT NULL,
    ok          bigint      NOT NULL DEFAULT 0,
    failed      bigint      NOT NULL DEFAULT 0,
    total_ms    bigint      NOT NULL DEFAULT 0,
    le_10       bigint      NOT NULL DEFAULT 0,
    le_25       bigint      NOT NULL DEFAULT 0,
    le_50       bigint      NOT NULL DEFAULT 0,
    le_100      bigint      NOT NULL DEFAULT 0,
    le_250      bigint      NOT NULL DEFAULT 0,
    le_500      bigint      NOT NULL DEFAULT 0,
    le_1000     bigint      NOT NULL DEFAULT 0,
    le_2500     bigint      NOT NULL DEFAULT 0,
    le_5000     bigint      NOT NULL DEFAULT 0,
    le_10000    bigint      NOT NULL DEFAULT 0,
    le_inf      bigint      NOT NULL DEFAULT 0,
    PRIMARY KEY (shard, endpoint_id, hour)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What happened to endpoints that somebody should hear of; written in the
-- transaction that made it so, read by the alerts.
CREATE TABLE malote.signals (
    shard       smallint    NOT NULL,
    id          uuid        NOT NULL,
    tenant      text        NOT NULL,
    endpoint_id uuid,
    delivery_id uuid,
    kind        text        NOT NULL,
    detail      text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (shard, id)
);

-- Append-only: applications insert inside their own transactions, the relay takes.
CREATE TABLE malote.outbox (
    shard           smallint    NOT NULL,
    id              uuid        NOT NULL DEFAULT gen_random_uuid(),
    tenant          text        NOT NULL,
    type            text        NOT NULL,
    content_type    text        NOT NULL DEFAULT 'application/json',
    body            bytea       NOT NULL,
    is_data         boolean     NOT NULL, -- body is the envelope's data, not the whole
    idempotency_key text,
    coalesce_key    text,
    entity_version  text,
    external_id     text,
    occurred_at     timestamptz,
    written_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (shard, id)
);

-- When each periodic task last ran: whoever moves the time forward, runs it.
CREATE TABLE malote.maintenance_tasks (
    name        text        NOT NULL PRIMARY KEY,
    last_run_at timestamptz NOT NULL
);

-- +goose Down
DROP SCHEMA malote CASCADE;

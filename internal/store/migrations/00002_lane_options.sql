-- Lane options, recovery jobs, sealed secrets and what the watch over endpoints
-- and dead letters needs.

-- +goose Up
ALTER TABLE malote.endpoints
    ADD COLUMN rate_limit         double precision CHECK (rate_limit BETWEEN 0.001 AND 10000), -- attempts a second; NULL: the policy's
    ADD COLUMN fifo               boolean, -- NULL: the policy's
    ADD COLUMN filter             text     NOT NULL DEFAULT '', -- a CEL expression; empty: every event
    -- Headers that are written and never read back: a JSON object of names and
    -- values, sealed under the key named; NULL: none.
    ADD COLUMN secret_headers     bytea,
    ADD COLUMN secret_headers_key text     NOT NULL DEFAULT ''; -- empty: not sealed

-- Which key seals the value; empty: it is not sealed.
ALTER TABLE malote.endpoint_secrets ADD COLUMN key_id text NOT NULL DEFAULT '';
ALTER TABLE malote.source_secrets ADD COLUMN key_id text NOT NULL DEFAULT '';

-- The keys that seal, by id: a process that has none of them must not start.
CREATE TABLE malote.secret_keys (
    id         text        NOT NULL PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE malote.lanes
    -- Deliveries that the lane gets in its turn, while others wait (A09).
    ADD COLUMN weight        smallint         NOT NULL DEFAULT 1 CHECK (weight > 0),
    ADD COLUMN turn_left     smallint         NOT NULL DEFAULT 1, -- of the turn that was cut short
    -- Strictly ordered since then; NULL: not at all.
    ADD COLUMN fifo_since    timestamptz,
    -- Attempts a second; 0: no limit. A burst may be as many as that at once.
    ADD COLUMN rate_limit    double precision NOT NULL DEFAULT 0 CHECK (rate_limit = 0 OR rate_limit BETWEEN 0.001 AND 10000),
    ADD COLUMN rate_burst    integer          NOT NULL DEFAULT 1,
    -- When the next attempt is allowed, if all of the burst is used up.
    ADD COLUMN rate_ready_at timestamptz;
-- All shards: the lanes that are there get their tenants' weights.
UPDATE malote.lanes l SET weight = 1 + least(greatest(t.priority, 0), 99)
FROM malote.tenants t
WHERE t.shard = l.shard AND t.id = l.tenant AND t.priority > 0;
CREATE INDEX lanes_fifo ON malote.lanes (fifo_since) WHERE fifo_since IS NOT NULL;
-- Active endpoints that fail at present, longest first: the watch reads no others.
CREATE INDEX lanes_failing ON malote.lanes (first_failure_at)
    WHERE first_failure_at IS NOT NULL AND status = 'active';

-- The order of a strictly ordered lane: taken from the sequence inside the
-- transaction that publishes, so that what was published after another's answer
-- stands behind it, whatever the clocks say. NULL in lanes that never were.
CREATE SEQUENCE malote.fifo_positions;
ALTER TABLE malote.queue ADD COLUMN fifo_position bigint;
CREATE INDEX queue_fifo ON malote.queue (shard, endpoint_id, fifo_position, id)
    WHERE status = 'pending' AND fifo_position IS NOT NULL;

-- What a recovery has queued of a lane, to pace it by.
CREATE INDEX queue_recovered ON malote.queue (shard, endpoint_id, next_attempt_at)
    WHERE status = 'pending' AND trigger = 'recover';

-- Redeliveries of a whole window, step by step.
CREATE TABLE malote.recoveries (
    shard        smallint    NOT NULL,
    id           uuid        NOT NULL,
    tenant       text        NOT NULL,
    endpoint_id  uuid        NOT NULL,
    since        timestamptz NOT NULL,
    until        timestamptz NOT NULL,
    states       text[]      NOT NULL,
    status       text        NOT NULL DEFAULT 'running'
        CHECK (status IN ('running', 'done', 'cancelled', 'failed')),
    detail       text        NOT NULL DEFAULT '', -- why it failed
    total        bigint      NOT NULL, -- deliveries in the window when it began
    recovered    bigint      NOT NULL DEFAULT 0,
    passed_over  bigint      NOT NULL DEFAULT 0, -- changed since they were counted
    position     uuid, -- the last delivery looked at
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    PRIMARY KEY (shard, id)
);
CREATE INDEX recoveries_running ON malote.recoveries (shard, id) WHERE status = 'running';
CREATE INDEX recoveries_of_endpoint ON malote.recoveries (shard, endpoint_id, id);

ALTER TABLE malote.signals
    ADD COLUMN event_id   uuid,
    ADD COLUMN event_type text NOT NULL DEFAULT '';
CREATE INDEX signals_of_tenant ON malote.signals (shard, tenant, id);
CREATE INDEX signals_by_kind ON malote.signals (kind, created_at);

-- +goose Down
-- What is sealed would be taken for the secret itself.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM malote.endpoint_secrets s WHERE s.key_id <> '') -- all shards
        OR EXISTS (SELECT 1 FROM malote.source_secrets s WHERE s.key_id <> '') -- all shards
        OR EXISTS (SELECT 1 FROM malote.endpoints e WHERE e.secret_headers IS NOT NULL) THEN -- all shards
        RAISE EXCEPTION 'secrets are sealed: the version before cannot read them';
    END IF;
END $$;
-- +goose StatementEnd
DROP INDEX malote.signals_by_kind, malote.signals_of_tenant;
ALTER TABLE malote.signals DROP COLUMN event_id, DROP COLUMN event_type;
DROP TABLE malote.recoveries;
DROP INDEX malote.queue_recovered, malote.queue_fifo, malote.lanes_failing, malote.lanes_fifo;
ALTER TABLE malote.queue DROP COLUMN fifo_position;
DROP SEQUENCE malote.fifo_positions;
ALTER TABLE malote.lanes DROP COLUMN weight, DROP COLUMN turn_left, DROP COLUMN fifo_since,
    DROP COLUMN rate_limit, DROP COLUMN rate_burst, DROP COLUMN rate_ready_at;
DROP TABLE malote.secret_keys;
ALTER TABLE malote.source_secrets DROP COLUMN key_id;
ALTER TABLE malote.endpoint_secrets DROP COLUMN key_id;
ALTER TABLE malote.endpoints DROP COLUMN rate_limit, DROP COLUMN fifo, DROP COLUMN filter,
    DROP COLUMN secret_headers, DROP COLUMN secret_headers_key;

-- For those who operate: who changed what, what is going on just now, events by
-- the names that people know, and deliveries by what became of them.

-- +goose Up
CREATE TABLE malote.audit_log (
    shard        smallint    NOT NULL, -- the tenant's; 0 for what belongs to none
    id           uuid        NOT NULL,
    tenant       text, -- whose thing it was; NULL: nobody's
    actor_kind   text        NOT NULL,
    actor_id     text        NOT NULL DEFAULT '', -- as it is shown
    actor_name   text        NOT NULL DEFAULT '', -- as it was then
    by_operator  boolean     NOT NULL, -- not by the tenant itself
    operation    text        NOT NULL,
    subject_kind text        NOT NULL DEFAULT '',
    subject_id   text        NOT NULL DEFAULT '', -- as it is shown
    detail       text        NOT NULL DEFAULT '',
    address      text        NOT NULL DEFAULT '', -- where the request came from
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (shard, id)
);
CREATE INDEX audit_log_of_tenant ON malote.audit_log (shard, tenant, id);

-- What each process did in a few seconds: "now" is made of the last ones.
CREATE TABLE malote.pulses (
    process   text             NOT NULL, -- a random name
    at        timestamptz      NOT NULL DEFAULT now(), -- the end
    seconds   double precision NOT NULL,
    published bigint           NOT NULL,
    ok        bigint           NOT NULL, -- attempts
    failed    bigint           NOT NULL,
    latency   bigint[]         NOT NULL, -- attempts by how long they took: pulse.Bounds
    PRIMARY KEY (process, at)
);
CREATE INDEX pulses_at ON malote.pulses (at);

-- lane_stats of all lanes together, of hours that are over and do not change.
CREATE TABLE malote.hour_stats (
    hour     timestamptz NOT NULL PRIMARY KEY,
    ok       bigint      NOT NULL,
    failed   bigint      NOT NULL,
    total_ms bigint      NOT NULL,
    latency  bigint[]    NOT NULL -- le_10 … le_inf
);

CREATE INDEX events_by_external_id ON malote.events (shard, tenant, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX events_of_source ON malote.events (shard, source_id, id) WHERE source_id IS NOT NULL;

-- What was closed without success: seldom much, and what people look for.
CREATE INDEX deliveries_undelivered ON malote.deliveries (shard, tenant, id) WHERE state <> 'delivered';

-- +goose Down
DROP INDEX malote.deliveries_undelivered, malote.events_of_source, malote.events_by_external_id;
DROP TABLE malote.hour_stats;
DROP TABLE malote.pulses;
DROP TABLE malote.audit_log;

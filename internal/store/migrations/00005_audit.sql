-- Who changed what through the API, and what people look for by their own words.

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

-- +goose Down
DROP TABLE malote.audit_log;

-- Alerts: which signals were told, what is about to be published, and what is
-- wrong with the whole at present.

-- +goose Up
ALTER TABLE malote.signals
    ADD COLUMN subject   text NOT NULL DEFAULT '', -- the name of a condition of the whole
    -- Those that are there already are not told: they are no news.
    ADD COLUMN told_at   timestamptz DEFAULT now(), -- to operators; NULL: not yet
    ADD COLUMN mailed_at timestamptz DEFAULT now(); -- to the tenant itself; NULL: not yet
ALTER TABLE malote.signals
    ALTER COLUMN told_at DROP DEFAULT,
    ALTER COLUMN mailed_at DROP DEFAULT;
CREATE INDEX signals_untold ON malote.signals (kind, created_at, shard, id) WHERE told_at IS NULL;
CREATE INDEX signals_unmailed ON malote.signals (shard, tenant, kind, created_at, id)
    WHERE mailed_at IS NULL AND kind IN ('delivery_dead', 'endpoint_failing', 'endpoint_disabled');

-- When a kind was last told, by whose it is: the tenant's own, or malote's for
-- operators. What comes within the window after it is told together.
CREATE TABLE malote.notice_windows (
    shard   smallint    NOT NULL,
    tenant  text        NOT NULL,
    kind    text        NOT NULL,
    last_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (shard, tenant, kind)
);

-- Notices until they are events of the tenant malote.
CREATE TABLE malote.notices (
    shard       smallint    NOT NULL,
    key         text        NOT NULL, -- the event's idempotency key
    kind        text        NOT NULL,
    type        text        NOT NULL,
    data        text        NOT NULL, -- JSON
    recipient   text        NOT NULL DEFAULT '', -- an e-mail address; empty: whoever subscribed
    occurred_at timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (shard, key)
);

-- Conditions of the whole that hold at present.
CREATE TABLE malote.conditions (
    shard     smallint    NOT NULL,
    name      text        NOT NULL,
    since     timestamptz NOT NULL DEFAULT now(),
    raised_at timestamptz, -- NULL: it has not held for long enough
    PRIMARY KEY (shard, name)
);

-- +goose Down
DROP TABLE malote.conditions, malote.notices, malote.notice_windows;
DROP INDEX malote.signals_unmailed, malote.signals_untold;
ALTER TABLE malote.signals DROP COLUMN mailed_at, DROP COLUMN told_at, DROP COLUMN subject;

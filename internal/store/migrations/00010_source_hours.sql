-- What came in by each source, for charts.

-- +goose Up
CREATE TABLE malote.source_hours (
    shard      smallint    NOT NULL,
    source_id  uuid        NOT NULL,
    hour       timestamptz NOT NULL,
    accepted   bigint      NOT NULL DEFAULT 0, -- events
    duplicates bigint      NOT NULL DEFAULT 0, -- events that had come in before
    filtered   bigint      NOT NULL DEFAULT 0, -- events that the source's filter left out
    rejected   bigint      NOT NULL DEFAULT 0, -- requests
    PRIMARY KEY (shard, source_id, hour)
);

-- +goose Down
DROP TABLE malote.source_hours;

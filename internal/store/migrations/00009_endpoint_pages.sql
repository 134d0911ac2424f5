-- For the pages about endpoints: what befell one, and who did what to it.

-- +goose Up
CREATE INDEX signals_of_endpoint ON malote.signals (shard, endpoint_id, kind, id) WHERE endpoint_id IS NOT NULL;
CREATE INDEX audit_log_of_subject ON malote.audit_log (shard, subject_id, id);

-- +goose Down
DROP INDEX malote.audit_log_of_subject, malote.signals_of_endpoint;

-- Apart from the changes before, so that the lanes and the queue are not locked
-- while these are built over what is closed.

-- +goose Up
-- Whether something newer of an entity was delivered (F13).
CREATE INDEX deliveries_of_entity ON malote.deliveries (shard, endpoint_id, coalesce_key, id)
    WHERE state = 'delivered' AND coalesce_key IS NOT NULL;

-- Closed without an endpoint: events that nobody took.
CREATE INDEX deliveries_of_nobody ON malote.deliveries (shard, tenant, id) WHERE endpoint_id IS NULL;

-- +goose Down
DROP INDEX malote.deliveries_of_nobody, malote.deliveries_of_entity;

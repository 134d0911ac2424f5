-- Which trace an event belongs to: W3C Trace Context, as the publisher gave it or
-- as the span of its publish made it.

-- +goose Up
ALTER TABLE malote.events ADD COLUMN traceparent text;

-- +goose Down
ALTER TABLE malote.events DROP COLUMN traceparent;

-- Endpoints that never answered and those that answer slowly, apart (docs/decisions/0005).

-- +goose Up
-- What is known of how long the endpoint takes to answer. 'unheard' is said by who
-- makes a lane for a new endpoint.
ALTER TABLE malote.lanes ADD COLUMN standing text NOT NULL DEFAULT 'trusted'
    CHECK (standing IN ('unheard', 'trusted', 'slow'));
-- All shards: what is known already.
UPDATE malote.lanes l
SET standing = CASE WHEN l.last_success_at IS NULL AND l.last_failure_at IS NULL THEN 'unheard' ELSE 'slow' END
WHERE l.suspect;
DROP INDEX malote.lanes_ready_trusted, malote.lanes_ready;
ALTER TABLE malote.lanes DROP COLUMN suspect;
CREATE INDEX lanes_ready ON malote.lanes (standing, ready_at, shard) WHERE ready_at < 'infinity';

-- +goose Down
ALTER TABLE malote.lanes ADD COLUMN suspect boolean NOT NULL DEFAULT true;
-- All shards.
UPDATE malote.lanes l SET suspect = false WHERE l.standing = 'trusted';
DROP INDEX malote.lanes_ready;
ALTER TABLE malote.lanes DROP COLUMN standing;
CREATE INDEX lanes_ready ON malote.lanes (ready_at, shard) WHERE ready_at < 'infinity';
CREATE INDEX lanes_ready_trusted ON malote.lanes (ready_at, shard) WHERE ready_at < 'infinity' AND NOT suspect;

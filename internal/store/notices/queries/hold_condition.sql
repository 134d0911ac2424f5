-- A row to lock.
INSERT INTO malote.conditions (shard, name)
VALUES ($1, $2)
ON CONFLICT (shard, name) DO NOTHING

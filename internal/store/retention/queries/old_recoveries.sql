-- Over all shards: recoveries that ended before $1, at most $2. There are few.
WITH old AS MATERIALIZED (
    SELECT r.shard, r.id
    FROM malote.recoveries r
    WHERE r.status <> 'running' AND r.finished_at < $1
    LIMIT $2
)
DELETE FROM malote.recoveries r
USING old
WHERE r.shard = old.shard AND r.id = old.id

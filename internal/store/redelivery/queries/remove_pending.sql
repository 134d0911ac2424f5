-- The token, not the status: see pick_pending.sql. The shard comes with the ids, or
-- it would be a way of its own into the table: past all of the shard.
WITH ended AS MATERIALIZED (
    SELECT $1::smallint AS shard, e.id
    FROM unnest($2::uuid[]) AS e (id)
)
DELETE FROM malote.queue q
USING ended
WHERE q.shard = ended.shard AND q.id = ended.id AND q.claim_token IS NULL

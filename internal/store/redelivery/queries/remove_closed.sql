-- The ids alone lead to the partitions. Their bounds would be another way into the
-- index: past all that lies between, however much. As it is, the planner weighs a
-- look-up for each id against all that it believes the shard to have, which it takes
-- for the cheaper one in small partitions only.
DELETE FROM malote.deliveries d
WHERE d.shard = $1 AND d.id = ANY ($2)

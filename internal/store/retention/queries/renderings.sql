-- Over all shards.
SELECT count(*)
FROM malote.event_renderings r
WHERE r.event_id >= $1 AND r.event_id < $2

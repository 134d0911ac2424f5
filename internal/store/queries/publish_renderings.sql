INSERT INTO malote.event_renderings (shard, event_id, rendering, body)
SELECT r.shard, r.event_id, r.rendering, r.body
FROM unnest($1::smallint[], $2::uuid[], $3::smallint[], $4::bytea[]) AS r (shard, event_id, rendering, body)

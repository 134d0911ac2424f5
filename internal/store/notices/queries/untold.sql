-- Over all shards: signals that operators were not told of, the oldest first. The
-- windows' rows are locked: nobody else tells of them meanwhile.
SELECT s.id, s.tenant, s.kind, s.subject, s.detail, s.endpoint_id, s.delivery_id, s.event_id, s.event_type, s.created_at
FROM malote.signals s
WHERE s.told_at IS NULL AND s.kind = ANY($1)
ORDER BY s.created_at, s.shard, s.id
LIMIT $2

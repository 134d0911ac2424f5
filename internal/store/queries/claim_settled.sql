-- Lanes that were handed over and not locked, of which waking would change nothing:
-- they stand in line already, or whoever changes what keeps them out of it will put
-- them there, after this look, and so sees the work that it is about (I4).
SELECT l.shard, l.endpoint_id, l.parked_full
FROM unnest($1::smallint[], $2::uuid[]) AS handed (shard, endpoint_id)
JOIN malote.lanes l ON l.shard = handed.shard AND l.endpoint_id = handed.endpoint_id
WHERE NOT (l.status = 'active' AND NOT l.parked_full AND l.ready_at > greatest(now(), l.paused_until, l.rate_ready_at))

-- Which claims are still theirs (I5), and which of those have a newer pending
-- delivery of the same entity behind them (F13).
SELECT mine.position, q.event_id, q.rendering, q.last_status, q.last_error, (
        SELECT newer.id FROM malote.queue newer
        WHERE newer.shard = mine.shard AND newer.endpoint_id = q.endpoint_id
            AND newer.coalesce_key = q.coalesce_key AND newer.coalesce_key IS NOT NULL
            AND newer.status = 'pending'
        LIMIT 1)
FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS mine (shard, id, token, position)
JOIN malote.queue q ON q.shard = mine.shard AND q.id = mine.id
-- Whatever has a token is being sent. To say so would be a reason to use the index
-- of what is in flight, which knows the shard and not the id.
WHERE q.claim_token = mine.token
ORDER BY q.shard, q.id
FOR UPDATE OF q

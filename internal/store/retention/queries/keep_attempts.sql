-- Over all shards: the attempts of a day whose deliveries are open or dead. Those
-- may be of any day before; {latest} allows for a worker whose clock was behind.
WITH needed AS (
    SELECT open.shard, open.id
    FROM generate_series(0, 1023) AS s (shard)
    CROSS JOIN LATERAL (
        SELECT q.shard, q.id
        FROM malote.queue q
        WHERE q.shard = s.shard AND q.id < '{latest}' AND q.attempt_count > 0
    ) open
    UNION ALL
    SELECT d.shard, d.id
    FROM malote.deliveries d
    WHERE d.state = 'dead' AND d.id < '{latest}'
)
SELECT {columns}
FROM needed
JOIN malote.attempts t ON t.shard = needed.shard AND t.delivery_id = needed.id
WHERE t.claim_token >= '{from}' AND t.claim_token < '{to}'

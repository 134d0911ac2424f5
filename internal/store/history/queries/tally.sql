SELECT counted.state, sum(counted.n)::bigint
FROM (
    SELECT q.status AS state, count(*) AS n
    FROM malote.queue q
    WHERE q.shard = $1 AND q.tenant = $2 AND q.id >= $3
    GROUP BY q.status
    UNION ALL
    SELECT d.state, count(*) AS n
    FROM malote.deliveries d
    WHERE d.shard = $1 AND d.tenant = $2 AND d.id >= $3
    GROUP BY d.state
) counted
GROUP BY counted.state

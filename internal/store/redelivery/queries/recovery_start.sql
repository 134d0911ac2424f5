INSERT INTO malote.recoveries (shard, id, tenant, endpoint_id, since, until, states, total)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

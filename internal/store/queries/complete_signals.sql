INSERT INTO malote.signals (shard, id, tenant, endpoint_id, delivery_id, kind, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7)

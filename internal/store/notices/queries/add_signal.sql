INSERT INTO malote.signals (shard, id, tenant, kind, subject, detail)
VALUES ($1, $2, $3, $4, $5, $6)

INSERT INTO malote.notices (shard, key, kind, type, data, recipient, occurred_at)
SELECT $1, n.key, n.kind, n.type, n.data, n.recipient, n.occurred_at
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
    AS n (key, kind, type, data, recipient, occurred_at)

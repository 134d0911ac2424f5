-- Over all shards.
SELECT count(*)
FROM malote.attempts a
WHERE a.claim_token >= $1 AND a.claim_token < $2

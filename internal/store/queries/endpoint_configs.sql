-- What a sender needs to know of endpoints, by lane.
SELECT e.id, e.tenant, e.url, e.policy, e.headers, e.at_most_once, e.secret_headers, e.secret_headers_key
FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, id)
JOIN malote.endpoints e ON e.shard = wanted.shard AND e.id = wanted.id

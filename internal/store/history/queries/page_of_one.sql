WITH page AS (SELECT $5::smallint AS shard, $1::uuid AS id)

-- Over all shards. COPY takes no parameters: the bounds are written in.
SELECT {columns}
FROM malote.deliveries t
WHERE t.state = 'dead' AND t.id >= '{from}' AND t.id < '{to}'

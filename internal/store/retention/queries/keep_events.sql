SELECT {columns}
FROM needed
JOIN malote.events t ON t.shard = needed.shard AND t.id = needed.event_id
WHERE t.id >= '{from}' AND t.id < '{to}'

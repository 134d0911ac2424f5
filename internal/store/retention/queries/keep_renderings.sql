SELECT {columns}
FROM needed
JOIN malote.event_renderings t ON t.shard = needed.shard AND t.event_id = needed.event_id
WHERE t.event_id >= '{from}' AND t.event_id < '{to}'

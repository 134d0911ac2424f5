-- Over all shards: windows that have long been over.
DELETE FROM malote.notice_windows w
WHERE w.last_at < $1

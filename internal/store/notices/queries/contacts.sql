-- Whom tenants want to be told.
SELECT t.id, t.alert_emails, t.technical_contact
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, id)
JOIN malote.tenants t ON t.shard = wanted.shard AND t.id = wanted.id

-- Closed deliveries: what is not in the queue (any more).
INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, reason, trigger,
    rendering, attempt_count, last_status, last_error, coalesce_key, superseded_by, closed_at)
SELECT r.shard, r.id, r.endpoint_id, r.event_id, r.tenant, r.state, r.reason, r.trigger,
    r.rendering, r.attempt_count, r.last_status, r.last_error, r.coalesce_key, r.superseded_by, now()
FROM unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::smallint[], $10::integer[], $11::smallint[], $12::text[], $13::text[], $14::uuid[])
    AS r (shard, id, endpoint_id, event_id, tenant, state, reason, trigger,
        rendering, attempt_count, last_status, last_error, coalesce_key, superseded_by)

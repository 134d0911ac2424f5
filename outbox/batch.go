package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// One argument, of a type that every driver can send. Data travels as a text
// within the JSON, so that its own bytes stay as they are.
const publishBatch = `SELECT string_agg(published.id, ',' ORDER BY published.place)
FROM (
	SELECT e.place, CASE WHEN e.data IS NOT NULL
		THEN malote.publish_json(e.tenant, e.type, e.data,
			idempotency_key => e.idempotency_key, coalesce_key => e.coalesce_key, entity_version => e.entity_version,
			external_id => e.external_id, occurred_at => e.occurred_at, endpoint_ids => e.endpoint_ids,
			aggregate_type => e.aggregate_type, aggregate_id => e.aggregate_id)
		ELSE malote.publish(e.tenant, e.type, decode(e.body, 'base64'), e.content_type,
			idempotency_key => e.idempotency_key, coalesce_key => e.coalesce_key, entity_version => e.entity_version,
			external_id => e.external_id, occurred_at => e.occurred_at, endpoint_ids => e.endpoint_ids,
			aggregate_type => e.aggregate_type, aggregate_id => e.aggregate_id)
		END::text AS id
	FROM ROWS FROM (json_to_recordset($1::text::json) AS (
		tenant text, type text, data text, body text, content_type text,
		idempotency_key text, coalesce_key text, entity_version text, external_id text,
		aggregate_type text, aggregate_id text, occurred_at timestamptz, endpoint_ids text[]
	)) WITH ORDINALITY AS e(
		tenant, type, data, body, content_type, idempotency_key, coalesce_key, entity_version, external_id,
		aggregate_type, aggregate_id, occurred_at, endpoint_ids, place)
	ORDER BY e.place
) AS published`

// batchRow is an event on its way; what is left out is NULL there.
type batchRow struct {
	Tenant         string     `json:"tenant"`
	Type           string     `json:"type"`
	Data           string     `json:"data,omitempty"` // no JSON value is empty
	Body           []byte     `json:"body"`           // base64; it may be empty
	ContentType    string     `json:"content_type,omitempty"`
	IdempotencyKey string     `json:"idempotency_key,omitempty"`
	CoalesceKey    string     `json:"coalesce_key,omitempty"`
	EntityVersion  string     `json:"entity_version,omitempty"`
	ExternalID     string     `json:"external_id,omitempty"`
	AggregateType  string     `json:"aggregate_type,omitempty"`
	AggregateID    string     `json:"aggregate_id,omitempty"`
	OccurredAt     *time.Time `json:"occurred_at,omitempty"`
	EndpointIDs    []string   `json:"endpoint_ids,omitempty"`
}

// PublishBatch is [Publish] for many events in one round trip. It returns their
// ids in the same order, in which they are also written. When one event is
// invalid, none is written, and the *InvalidError says which it was. A batch of
// some megabytes is a good size; PostgreSQL takes no statement of a gigabyte.
func PublishBatch(ctx context.Context, tx Tx, events []Event) ([]ID, error) {
	if err := checkTx(tx); err != nil {
		return nil, err
	}
	rows := make([]batchRow, len(events))
	for i, event := range events {
		if err := event.check(i); err != nil {
			return nil, err
		}
		rows[i] = event.row()
	}
	if len(rows) == 0 {
		return nil, nil
	}
	argument, err := json.Marshal(rows)
	if err != nil {
		return nil, fmt.Errorf("outbox: writing the batch as JSON: %w", err)
	}
	text, err := queryText(ctx, tx, publishBatch, string(argument))
	if err != nil {
		return nil, err
	}
	ids := make([]ID, 0, len(events))
	for part := range strings.SplitSeq(text, ",") {
		id, err := parseID(part)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(ids) != len(events) {
		return nil, fmt.Errorf("outbox: the database answered %d ids for %d events: roll back", len(ids), len(events))
	}
	return ids, nil
}

func (e *Event) row() batchRow {
	row := batchRow{
		Tenant: e.Tenant, Type: e.Type, Data: string(e.Data), Body: e.Body, ContentType: e.ContentType,
		IdempotencyKey: e.IdempotencyKey, CoalesceKey: e.CoalesceKey, EntityVersion: e.EntityVersion,
		ExternalID: e.ExternalID, AggregateType: e.AggregateType, AggregateID: e.AggregateID,
		EndpointIDs: e.EndpointIDs,
	}
	if !e.OccurredAt.IsZero() {
		at := e.OccurredAt.UTC().Truncate(time.Microsecond)
		row.OccurredAt = &at
	}
	return row
}

package store

import (
	_ "embed"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/insert_deliveries.sql
var insertDeliveriesSQL string

// closedDelivery is one row of malote.deliveries about to be written.
type closedDelivery struct {
	id, endpointID, eventID delivery.ID
	tenant                  string
	state                   delivery.State
	reason                  delivery.Reason
	trigger                 delivery.Trigger
	rendering               int16
	attemptCount            int32
	lastStatus              int16
	lastError               delivery.ErrorCode
	coalesceKey             string
	supersededBy            delivery.ID
}

// closedRows gathers rows of malote.deliveries for one statement.
type closedRows []closedDelivery

func (rows closedRows) queue(batch *pgx.Batch) {
	if len(rows) == 0 {
		return
	}
	n := len(rows)
	shards, ids := make([]delivery.Shard, n), make([]delivery.ID, n)
	endpoints, events := make([]delivery.ID, n), make([]delivery.ID, n)
	tenants, states := make([]string, n), make([]string, n)
	reasons, triggers := make([]string, n), make([]string, n)
	renderings, attempts := make([]int16, n), make([]int32, n)
	statuses, errorCodes := make([]int16, n), make([]string, n)
	keys, successors := make([]pgtype.Text, n), make([]delivery.ID, n)
	for i, row := range rows {
		shards[i], ids[i] = row.id.Shard(), row.id
		endpoints[i], events[i] = row.endpointID, row.eventID
		tenants[i], states[i] = row.tenant, string(row.state)
		reasons[i], triggers[i] = string(row.reason), string(row.trigger)
		renderings[i], attempts[i] = row.rendering, row.attemptCount
		statuses[i], errorCodes[i] = row.lastStatus, string(row.lastError)
		keys[i], successors[i] = textOrNull(row.coalesceKey), row.supersededBy
	}
	batch.Queue(insertDeliveriesSQL, shards, ids, endpoints, events, tenants, states, reasons, triggers,
		renderings, attempts, statuses, errorCodes, keys, successors)
}

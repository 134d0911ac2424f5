package store

import (
	_ "embed"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/insert_queue.sql
var insertQueueSQL string

// insertUnkeyedSQL is the same for deliveries that cannot collide, for which the
// server need not provide against it.
var insertUnkeyedSQL = withoutConflict(insertQueueSQL)

// withoutConflict leaves out what an insertion does where the row is there
// already, and with it what PostgreSQL writes to find that out.
func withoutConflict(insertion string) string {
	plain, _, _ := strings.Cut(insertion, "ON CONFLICT")
	return plain
}

// queueRow is one new open delivery.
type queueRow struct {
	id, endpointID, eventID delivery.ID
	tenant                  string
	rendering               int16
	delay                   time.Duration // before the first attempt
	coalesceKey             string
	trigger                 delivery.Trigger
	fifoPosition            pgtype.Int8 // in a strictly ordered lane; NULL in others
}

func (row queueRow) entity() entity { return entity{row.endpointID, row.coalesceKey} }

// superseded is the row's record where a newer delivery took its place before
// it was ever pending.
func (row queueRow) superseded(by delivery.ID) closedDelivery {
	return closedDelivery{
		id: row.id, endpointID: row.endpointID, eventID: row.eventID, tenant: row.tenant,
		state: delivery.Superseded, reason: delivery.ReplacedByNewer, trigger: row.trigger,
		rendering: row.rendering, coalesceKey: row.coalesceKey, supersededBy: by,
	}
}

type queueRows []queueRow

// columns are the parameters of insert_queue.sql.
func (rows queueRows) columns() []any {
	n := len(rows)
	shards, ids := make([]delivery.Shard, n), make([]delivery.ID, n)
	endpoints, events := make([]delivery.ID, n), make([]delivery.ID, n)
	tenants, renderings := make([]string, n), make([]int16, n)
	delays, keys := make([]int64, n), make([]pgtype.Text, n)
	triggers, positions := make([]string, n), make([]pgtype.Int8, n)
	for i, row := range rows {
		shards[i], ids[i] = row.id.Shard(), row.id
		endpoints[i], events[i] = row.endpointID, row.eventID
		tenants[i], renderings[i] = row.tenant, row.rendering
		delays[i], keys[i] = row.delay.Milliseconds(), textOrNull(row.coalesceKey)
		triggers[i], positions[i] = string(row.trigger), row.fifoPosition
	}
	return []any{shards, ids, endpoints, events, tenants, renderings, delays, keys, triggers, positions}
}

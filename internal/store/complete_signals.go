package store

import (
	"fmt"

	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

//go:embed queries/complete_signals.sql
var completeSignalsSQL string

// signalRow is something that somebody should hear of, with the attempt that
// brought it about. It is written in the transaction that made it so (I10).
type signalRow struct {
	claim  *delivery.Claim
	kind   string
	detail string
}

// noteCircuit notes what an attempt did to its endpoint.
func (c *completing) noteCircuit(done policy.Completion, signals []circuit.Signal) {
	for _, s := range signals {
		c.observed[s.Kind]++
		c.signals = append(c.signals, signalRow{claim: done.Claim, kind: string(s.Kind), detail: SignalDetail(s)})
	}
}

// noteDead notes that a delivery entered the DLQ (D08). A test that failed is
// told to who asked for it.
func (c *completing) noteDead(done policy.Completion, reason delivery.Reason) {
	if done.Claim.Trigger != delivery.TriggerTest {
		c.observed[circuit.SignalKind(delivery.DeliveryDead)]++
		c.signals = append(c.signals, signalRow{claim: done.Claim, kind: string(delivery.DeliveryDead), detail: string(reason)})
	}
}

// SignalDetail says a circuit's signal in short, for people.
func SignalDetail(s circuit.Signal) string {
	switch s.Kind {
	case circuit.EndpointDisabled:
		return string(s.Reason)
	case circuit.EndpointFailing:
		return s.FailingFor.String()
	default:
		return fmt.Sprintf("%d consecutive failures", s.ConsecutiveFailures)
	}
}

func (c *completing) queueSignals(batch *pgx.Batch) {
	n := len(c.signals)
	if n == 0 {
		return
	}
	shards, ids := make([]delivery.Shard, n), make([]delivery.ID, n)
	endpoints, deliveries, events := make([]delivery.ID, n), make([]delivery.ID, n), make([]delivery.ID, n)
	tenants, types, kinds, details := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, row := range c.signals {
		event := row.claim.Event
		shards[i], ids[i] = row.claim.DeliveryID.Shard(), delivery.NewID(row.claim.DeliveryID.Shard(), c.now, c.store.random)
		endpoints[i], deliveries[i], events[i] = row.claim.Endpoint.ID, row.claim.DeliveryID, event.ID
		tenants[i], types[i], kinds[i], details[i] = event.Tenant, event.Type, row.kind, row.detail
	}
	batch.Queue(completeSignalsSQL, shards, ids, tenants, endpoints, deliveries, events, types, kinds, details)
}

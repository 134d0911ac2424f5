package watch

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

//go:embed queries/failing.sql
var failingSQL string

//go:embed queries/lock_failing.sql
var lockFailingSQL string

//go:embed queries/warned.sql
var warnedSQL string

//go:embed queries/endpoint_signals.sql
var endpointSignalsSQL string

// lanesAtOnce bounds a look, and how many lanes a transaction locks.
const lanesAtOnce = 500

// failingLane is a lane whose last attempts failed.
type failingLane struct {
	ref    delivery.LaneRef
	tenant string
	policy string
	state  circuit.State // as far as circuit.Tick asks
	now    time.Time     // the database's
}

// Endpoints warns of endpoints that have been failing for as long as their policy
// says (S08), and says how many signals that made. Only lanes that there is
// something to say of are locked.
func (w *Watcher) Endpoints(ctx context.Context) (Raised, error) {
	raised := make(Raised)
	var after failingLane
	for {
		lanes, err := w.failing(ctx, after)
		if err != nil {
			return raised, fmt.Errorf("looking for endpoints that fail: %w", err)
		}
		var due []delivery.LaneRef
		for _, lane := range lanes {
			if _, signals := w.tick(lane); len(signals) > 0 {
				due = append(due, lane.ref)
			}
		}
		if len(due) > 0 {
			err := pgx.BeginFunc(ctx, w.store.Pool(), func(tx pgx.Tx) error { return w.warn(ctx, tx, due, raised) })
			if err != nil {
				return raised, fmt.Errorf("warning of endpoints that fail: %w", err)
			}
		}
		if len(lanes) < w.lanesAtOnce {
			return raised, nil
		}
		after = lanes[len(lanes)-1]
	}
}

func (w *Watcher) failing(ctx context.Context, after failingLane) ([]failingLane, error) {
	position := after.ref.EndpointID
	if position.IsZero() {
		position = delivery.FloorID(time.Unix(0, 0)) // a zero id would be NULL, which nothing is above
	}
	rows, _ := w.store.Pool().Query(ctx, failingSQL, after.state.FirstFailureAt, after.ref.Shard, position, w.lanesAtOnce)
	return pgx.CollectRows(rows, scanFailing)
}

func scanFailing(row pgx.CollectableRow) (failingLane, error) {
	var lane failingLane
	var lastFailure, pausedUntil, disabled *time.Time
	s := &lane.state
	err := row.Scan(&s.FirstFailureAt, &lane.ref.Shard, &lane.ref.EndpointID, &lane.tenant, &lane.policy, &s.ConsecutiveFailures,
		&lastFailure, &pausedUntil, &s.WarnedLevel, &disabled, &lane.now)
	s.LastFailureAt, s.PausedUntil, s.DisabledAt = orZero(lastFailure), orZero(pausedUntil), orZero(disabled)
	return lane, err
}

func orZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// tick asks the circuit. An endpoint whose policy cannot be read is left alone.
func (w *Watcher) tick(lane failingLane) (circuit.State, []circuit.Signal) {
	settings, err := w.circuits(lane.policy)
	if err != nil {
		w.log.Error("an endpoint's policy cannot be read; nobody is warned of it",
			"endpoint", lane.ref.EndpointID.Format(delivery.EndpointPrefix), "policy", lane.policy, "error", err)
		return lane.state, nil
	}
	return circuit.Tick(*settings, lane.state, lane.now)
}

// warn asks again under the lanes' locks, and writes what there is to say.
func (w *Watcher) warn(ctx context.Context, tx pgx.Tx, due []delivery.LaneRef, raised Raised) error {
	shards, ids := make([]delivery.Shard, len(due)), make([]delivery.ID, len(due))
	for i, ref := range due {
		shards[i], ids[i] = ref.Shard, ref.EndpointID
	}
	rows, _ := tx.Query(ctx, lockFailingSQL, shards, ids)
	lanes, err := pgx.CollectRows(rows, scanFailing)
	if err != nil {
		return fmt.Errorf("locking their lanes: %w", err)
	}
	var warned warnedRows
	for _, lane := range lanes {
		state, signals := w.tick(lane)
		for _, s := range signals {
			warned.signalShards = append(warned.signalShards, lane.ref.Shard)
			warned.signals = append(warned.signals, delivery.NewID(lane.ref.Shard, lane.now, w.random))
			warned.tenants, warned.of = append(warned.tenants, lane.tenant), append(warned.of, lane.ref.EndpointID)
			warned.kinds, warned.details = append(warned.kinds, string(s.Kind)), append(warned.details, store.SignalDetail(s))
		}
		warned.shards, warned.endpoints = append(warned.shards, lane.ref.Shard), append(warned.endpoints, lane.ref.EndpointID)
		warned.levels = append(warned.levels, int32(state.WarnedLevel))
	}
	if err := warned.write(ctx, tx); err != nil {
		return err
	}
	for _, kind := range warned.kinds {
		raised[kind]++
	}
	return nil
}

// warnedRows are lanes with their new level, and signals, as columns.
type warnedRows struct {
	shards    []delivery.Shard
	endpoints []delivery.ID
	levels    []int32

	signalShards            []delivery.Shard
	signals, of             []delivery.ID
	tenants, kinds, details []string
}

func (r *warnedRows) write(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(warnedSQL, r.shards, r.endpoints, r.levels)
	batch.Queue(endpointSignalsSQL, r.signalShards, r.signals, r.tenants, r.of, r.kinds, r.details)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("writing warnings: %w", err)
	}
	return nil
}

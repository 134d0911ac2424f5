package redelivery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/survey_dead.sql
var surveyDeadSQL string

//go:embed queries/lock_lane.sql
var lockLaneSQL string

// ReplayDeadIn replays all dead deliveries of an endpoint in one batch, in the
// caller's transaction, and says how many those are (R06): with the enabling of
// the endpoint, which its status is not asked about, or not at all. Tests are left
// where they are. For what else it passes over see bulk.
//
// The caller may hold the endpoint's lane and its tenant, must hold neither queue
// rows nor deliveries, runs the transaction again after a deadlock (40P01), and
// wakes the lane after the commit. The rest of the transaction is planned steadily,
// too.
func ReplayDeadIn(ctx context.Context, tx pgx.Tx, endpoint delivery.ID) (replayed int, _ error) {
	replayed, err := replayDead(ctx, tx, endpoint)
	if err != nil {
		return 0, fmt.Errorf("replaying all that is dead: %w", err)
	}
	return replayed, nil
}

func replayDead(ctx context.Context, tx pgx.Tx, endpoint delivery.ID) (int, error) {
	if _, err := tx.Exec(ctx, steady); err != nil {
		return 0, fmt.Errorf("preparing the transaction: %w", err)
	}
	lane, err := lockLane(ctx, tx, endpoint)
	if err != nil || lane.status == delivery.Deleted {
		return 0, err
	}
	wanted, err := findDead(ctx, tx, lane.tenant, endpoint)
	if err != nil {
		return 0, err
	}
	b := &bulk{tx: tx, endpoint: endpoint, states: []delivery.State{delivery.Dead}, trigger: delivery.TriggerReplay}
	return b.reopen(ctx, wanted)
}

func findDead(ctx context.Context, tx pgx.Tx, tenant string, endpoint delivery.ID) ([]surveyed, error) {
	rows, _ := tx.Query(ctx, surveyDeadSQL, planned, endpoint.Shard(), tenant, endpoint)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s surveyed, err error) {
		err = row.Scan(&s.id, &s.coalesceKey)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for dead deliveries: %w", err)
	}
	return found, nil
}

// lockedLane is an endpoint's lane that nobody claims from, completes on,
// replays or discards until the transaction ends.
type lockedLane struct {
	tenant string
	status delivery.EndpointStatus // Deleted, too, if there is no such lane
}

func lockLane(ctx context.Context, tx pgx.Tx, endpoint delivery.ID) (lockedLane, error) {
	lane := lockedLane{status: delivery.Deleted}
	err := tx.QueryRow(ctx, lockLaneSQL, endpoint.Shard(), endpoint).Scan(&lane.tenant, &lane.status)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return lane, fmt.Errorf("locking the lane: %w", err)
	}
	return lane, nil
}

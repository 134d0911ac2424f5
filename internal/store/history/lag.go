package history

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// CountLimit bounds what is looked at per lane: its first so many pending
// deliveries in the order in which they are due. A pending count that reaches
// it means "at least", and an older delivery that is due later is not seen.
const CountLimit = 10_000

// LaneLag is how far behind one endpoint is (F17).
type LaneLag struct {
	EndpointID  delivery.ID
	Tenant      string
	URL         string
	Status      delivery.EndpointStatus
	Pending     int // up to CountLimit
	InFlight    int
	Limit       int // how many may be in flight now: less than MaxInFlight while slowed down or probing
	MaxInFlight int

	OldestAge           time.Duration // of the pending ones, since acceptance or their replay
	ConsecutiveFailures int
	PausedUntil         time.Time          // zero: the circuit is closed
	LastError           delivery.ErrorCode // of the oldest pending delivery that has one

	Healthy        bool          // active, without failures or a pause
	Circuit        circuit.Phase // at this moment
	DisabledReason string
	LastFailureAt  time.Time
	LastSuccessAt  time.Time
}

// Lag tells "one customer is slow" from "the platform is out of capacity".
type Lag struct {
	Lanes []LaneLag // the most delayed first

	Oldest        time.Duration // age of the oldest pending delivery; 0: none is pending
	OldestHealthy time.Duration // over active lanes without failures or a pause

	Open OpenCounts
}

// OpenCounts is how many deliveries are open over all lanes.
type OpenCounts struct {
	Pending       int
	PendingCapped bool // there are more: not all were counted
	Sending       int
	Lanes         int // with at least one pending delivery
}

// rowsLookedAt bounds the first look at all lanes together. Where there are more
// than rowsLookedAt/CountLimit of them each gets its share, but at least
// fewestPerLane; the lanes that come out on top are then looked at in full.
const (
	rowsLookedAt  = 200_000
	fewestPerLane = 20
)

//go:embed queries/lanes_with_pending.sql
var lanesWithPendingSQL string

//go:embed queries/lane_lag.sql
var laneLagSQL string

//go:embed queries/sending.sql
var sendingSQL string

//go:embed queries/lanes_of_tenant.sql
var lanesOfTenantSQL string

//go:embed queries/sending_of_tenant.sql
var sendingOfTenantSQL string

// Lag finds the most delayed lanes, at most limit of them, and the figures over
// all. Its cost grows with the number of lanes that have something pending, not
// with how much that is.
func (r *Reader) Lag(ctx context.Context, limit int) (Lag, error) { return r.LagOf(ctx, "", limit) }

// LagOf is Lag over one tenant's lanes; "" is all of them.
func (r *Reader) LagOf(ctx context.Context, tenant string, limit int) (Lag, error) {
	var lag Lag
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		lag, err = measureLag(ctx, tx, tenant, max(limit, 0))
		return err
	})
	if err != nil {
		return Lag{}, fmt.Errorf("measuring the lag: %w", err)
	}
	return lag, nil
}

func measureLag(ctx context.Context, tx pgx.Tx, tenant string, limit int) (Lag, error) {
	lanes, perLane, err := pendingLanes(ctx, tx, tenant)
	if err != nil {
		return Lag{}, err
	}
	var lag Lag
	if lag.Open, err = openCounts(ctx, tx, tenant, lanes, perLane); err != nil {
		return Lag{}, err
	}
	lag.include(lanes)
	mostDelayedFirst(lanes)
	lag.Lanes = lanes[:min(limit, len(lanes))]
	if perLane < CountLimit {
		if lag.Lanes, err = laneLags(ctx, tx, endpointsOf(lag.Lanes), CountLimit); err != nil {
			return Lag{}, err
		}
		lag.include(lag.Lanes)
		mostDelayedFirst(lag.Lanes)
	}
	return lag, nil
}

// include raises the ages to those of the lanes.
func (l *Lag) include(lanes []LaneLag) {
	for _, lane := range lanes {
		l.Oldest = max(l.Oldest, lane.OldestAge)
		if lane.Healthy {
			l.OldestHealthy = max(l.OldestHealthy, lane.OldestAge)
		}
	}
}

func mostDelayedFirst(lanes []LaneLag) {
	slices.SortFunc(lanes, func(a, b LaneLag) int {
		return cmp.Or(cmp.Compare(b.OldestAge, a.OldestAge), compareIDs(a.EndpointID, b.EndpointID))
	})
}

// pendingLanes takes a first look at every lane that has something pending, at
// perLane rows of each.
func pendingLanes(ctx context.Context, tx pgx.Tx, tenant string) (lanes []LaneLag, perLane int, err error) {
	sql, parameters := lanesWithPendingSQL, []any{planned}
	if tenant != "" {
		sql, parameters = lanesOfTenantSQL, append(parameters, delivery.ShardOf(tenant), tenant)
	}
	rows, _ := tx.Query(ctx, sql, parameters...)
	endpoints, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	if err != nil {
		return nil, 0, err
	}
	perLane = min(max(rowsLookedAt/max(len(endpoints), 1), fewestPerLane), CountLimit)
	lanes, err = laneLags(ctx, tx, endpoints, perLane)
	return lanes, perLane, err
}

func laneLags(ctx context.Context, tx pgx.Tx, endpoints []delivery.ID, perLane int) ([]LaneLag, error) {
	rows, _ := tx.Query(ctx, laneLagSQL, planned, shardsOf(endpoints), endpoints, perLane)
	return pgx.CollectRows(rows, scanLaneLag)
}

func scanLaneLag(row pgx.CollectableRow) (LaneLag, error) {
	var lane LaneLag
	var oldest, pausedUntil, failed, succeeded *time.Time
	var now time.Time
	err := row.Scan(&lane.EndpointID, &lane.Tenant, &lane.URL, &lane.Status, &lane.Pending, &lane.InFlight, &lane.Limit,
		&lane.MaxInFlight, &oldest, &lane.ConsecutiveFailures, &pausedUntil, &lane.LastError,
		&lane.Circuit, &lane.DisabledReason, &failed, &succeeded, &now)
	lane.OldestAge = ageAt(oldest, now)
	lane.PausedUntil = zeroIfNull(pausedUntil)
	lane.LastFailureAt, lane.LastSuccessAt = zeroIfNull(failed), zeroIfNull(succeeded)
	lane.Circuit = circuit.State{Phase: lane.Circuit, PausedUntil: lane.PausedUntil}.PhaseAt(now)
	lane.Healthy = lane.Status == delivery.Active && lane.ConsecutiveFailures == 0 && !lane.PausedUntil.After(now)
	return lane, err
}

// ageAt is 0 for what does not exist, or was made by a clock ahead of ours.
func ageAt(since *time.Time, now time.Time) time.Duration {
	if since == nil {
		return 0
	}
	return max(now.Sub(*since), 0)
}

func openCounts(ctx context.Context, tx pgx.Tx, tenant string, lanes []LaneLag, perLane int) (OpenCounts, error) {
	open := OpenCounts{Lanes: len(lanes)}
	for _, lane := range lanes {
		open.Pending += lane.Pending
		open.PendingCapped = open.PendingCapped || lane.Pending >= perLane
	}
	sql, parameters := sendingSQL, []any{planned}
	if tenant != "" {
		sql, parameters = sendingOfTenantSQL, append(parameters, delivery.ShardOf(tenant), tenant)
	}
	err := tx.QueryRow(ctx, sql, parameters...).Scan(&open.Sending)
	return open, err
}

func endpointsOf(lanes []LaneLag) []delivery.ID {
	ids := make([]delivery.ID, len(lanes))
	for i, lane := range lanes {
		ids[i] = lane.EndpointID
	}
	return ids
}

func shardsOf(ids []delivery.ID) []delivery.Shard {
	shards := make([]delivery.Shard, len(ids))
	for i, id := range ids {
		shards[i] = id.Shard()
	}
	return shards
}

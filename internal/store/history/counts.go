package history

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// LaneCounts is what one endpoint has to do and has done.
type LaneCounts struct {
	EndpointID delivery.ID
	Tenant     string
	Pending    int // up to CountLimit
	InFlight   int
	Delivered  int           // successful attempts, from the hourly statistics
	Dead       int           // up to CountLimit
	OldestAge  time.Duration // of the pending ones; 0: none
}

//go:embed queries/lane_counts.sql
var laneCountsSQL string

//go:embed queries/tally.sql
var tallySQL string

// Open counts the open deliveries by status; Lag has the same and more.
func (r *Reader) Open(ctx context.Context) (OpenCounts, error) {
	var open OpenCounts
	err := r.inSnapshot(ctx, func(tx pgx.Tx) error {
		lanes, perLane, err := pendingLanes(ctx, tx, "")
		if err != nil {
			return err
		}
		open, err = openCounts(ctx, tx, "", lanes, perLane)
		return err
	})
	if err != nil {
		return OpenCounts{}, fmt.Errorf("counting open deliveries: %w", err)
	}
	return open, nil
}

// LaneCounts counts for the endpoints named, in their order; unknown ones are
// left out. It is cheap enough for a table that is redrawn every second.
func (r *Reader) LaneCounts(ctx context.Context, endpoints []delivery.ID) ([]LaneCounts, error) {
	var counts []LaneCounts
	err := r.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, laneCountsSQL, planned, shardsOf(endpoints), endpoints, CountLimit)
		counts, err = pgx.CollectRows(rows, scanLaneCounts)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("counting by lane: %w", err)
	}
	return counts, nil
}

func scanLaneCounts(row pgx.CollectableRow) (LaneCounts, error) {
	var c LaneCounts
	var oldest *time.Time
	var now time.Time
	err := row.Scan(&c.EndpointID, &c.Tenant, &c.Pending, &c.InFlight, &c.Delivered, &c.Dead, &oldest, &now)
	c.OldestAge = ageAt(oldest, now)
	return c, err
}

// Tally counts a tenant's deliveries by state, exactly, of events accepted
// since the instant; states that none is in are left out. It reads every one of
// them: it is for a summary.
func (r *Reader) Tally(ctx context.Context, tenant string, since time.Time) (map[delivery.State]int, error) {
	tally := make(map[delivery.State]int)
	err := r.inSnapshot(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, tallySQL, planned, delivery.ShardOf(tenant), tenant, between(since, time.Time{}).from)
		var state delivery.State
		var n int
		_, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error {
			tally[state] = n
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("counting the deliveries of tenant %q by state: %w", tenant, err)
	}
	return tally, nil
}

package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/claim_lanes.sql
var claimLanesSQL string

//go:embed queries/claim_deliveries.sql
var claimDeliveriesSQL string

//go:embed queries/claim_park.sql
var claimParkSQL string

//go:embed queries/claim_next_due.sql
var claimNextDueSQL string

// Claim takes at most n due deliveries, the first of every ready lane before
// the second of any, and never more of a lane than its limit allows over all
// processes. When it returns, the claim is committed: what it returns may be
// sent, until the lease ends.
//
// The lanes are locked by one statement and counted by the next, whose snapshot
// is taken once the locks are held: nobody else can claim from them meanwhile,
// so the count is exact (I1). Lanes that others hold are skipped, not waited for.
func (s *Store) Claim(ctx context.Context, n int) (delivery.Claimed, error) {
	token := delivery.NewID(0, time.Now(), s.random)
	var claim *claiming
	err := s.inHotTx(ctx, "claiming", func(tx pgx.Tx) error {
		claim = &claiming{store: s, tx: tx, n: n, token: token}
		return claim.run(ctx)
	})
	if err != nil {
		return delivery.Claimed{}, err
	}
	result := delivery.Claimed{Claims: claim.claims, Lanes: len(claim.lanes), NextDue: delivery.NothingDue}
	received := time.Now()
	for _, c := range result.Claims {
		c.ReceivedAt = received
	}
	// I4: parked first, committed, and now looked at again. A publisher that
	// committed before the parking did and saw the lane still ready, is seen here.
	if len(claim.parked) > 0 {
		if _, err := s.wakeStranded(ctx, claim.parked); err != nil {
			return result, err
		}
	}
	if len(result.Claims) < n {
		result.NextDue, err = s.nextDue(ctx)
	}
	return result, err
}

// claiming is one transaction of a claim.
type claiming struct {
	store *Store
	tx    pgx.Tx
	n     int
	token delivery.ID

	lanes  []claimLane
	claims []*delivery.Claim
	parked []delivery.LaneRef // left without claimable work
}

type claimLane struct {
	delivery.LaneRef
	limit, leaseSeconds int32
	endpoint            *delivery.Endpoint
}

func (c *claiming) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		c.lockLanes,
		c.takeDeliveries,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *claiming) lockLanes(ctx context.Context) error {
	rows, _ := c.tx.Query(ctx, claimLanesSQL, c.n)
	var unknown []delivery.LaneRef
	versions := make(map[delivery.ID]int64)
	var lane claimLane
	var version int64
	_, err := pgx.ForEachRow(rows, []any{&lane.Shard, &lane.EndpointID, &lane.limit, &lane.leaseSeconds, &version}, func() error {
		found := lane
		if found.endpoint = c.store.configs.get(lane.EndpointID, version); found.endpoint == nil {
			unknown = append(unknown, lane.LaneRef)
			versions[lane.EndpointID] = version
		}
		c.lanes = append(c.lanes, found)
		return nil
	})
	if err != nil {
		return fmt.Errorf("locking ready lanes: %w", err)
	}
	return c.loadConfigs(ctx, unknown, versions)
}

// loadConfigs reads the endpoints that changed since they were last read.
func (c *claiming) loadConfigs(ctx context.Context, unknown []delivery.LaneRef, versions map[delivery.ID]int64) error {
	if len(unknown) == 0 {
		return nil
	}
	endpoints, err := loadEndpoints(ctx, c.tx, unknown)
	if err != nil {
		return err
	}
	for id, endpoint := range endpoints {
		c.store.configs.put(versions[id], endpoint)
	}
	for i := range c.lanes {
		if c.lanes[i].endpoint == nil {
			c.lanes[i].endpoint = endpoints[c.lanes[i].EndpointID]
		}
	}
	return nil
}

func (c *claiming) takeDeliveries(ctx context.Context) error {
	if len(c.lanes) == 0 {
		return nil
	}
	shards, endpoints := make([]delivery.Shard, len(c.lanes)), make([]delivery.ID, len(c.lanes))
	limits, leases := make([]int32, len(c.lanes)), make([]int32, len(c.lanes))
	durable := false
	for i, lane := range c.lanes {
		shards[i], endpoints[i] = lane.Shard, lane.EndpointID
		limits[i], leases[i] = lane.limit, lane.leaseSeconds
		durable = durable || lane.endpoint != nil && lane.endpoint.AtMostOnce
	}
	batch := &pgx.Batch{}
	if !durable {
		batch.Queue(asyncCommit) // losing an at-least-once claim only sends again
	}
	batch.Queue(claimDeliveriesSQL, shards, endpoints, limits, leases, c.n, c.token).Query(c.readClaims)
	batch.Queue(claimParkSQL, shards, endpoints, limits).Query(c.readParked)
	if err := runBatch(ctx, c.tx, batch); err != nil {
		return fmt.Errorf("taking due deliveries: %w", err)
	}
	return nil
}

func (c *claiming) readClaims(rows pgx.Rows) error {
	endpoints := make(map[delivery.ID]*delivery.Endpoint, len(c.lanes))
	for _, lane := range c.lanes {
		endpoints[lane.EndpointID] = lane.endpoint
	}
	c.claims = nil
	for rows.Next() {
		claim := &delivery.Claim{Token: c.token}
		var endpointID delivery.ID
		if err := rows.Scan(append([]any{&endpointID}, claimTargets(claim)...)...); err != nil {
			return err
		}
		claim.Endpoint = endpoints[endpointID]
		c.claims = append(c.claims, claim)
	}
	return rows.Err()
}

// claimTargets are where the columns of a claimed delivery go, in the order of
// claim_deliveries.sql and expired_leases.sql.
func claimTargets(c *delivery.Claim) []any {
	return []any{
		&c.DeliveryID, &c.Attempt, &c.CycleAttempt, &c.Trigger,
		&c.ScheduledAt, &c.CycleStartedAt, zeroable(&c.FirstAttemptAt), &c.ClaimedAt, &c.LeaseUntil,
		&c.Event.ID, &c.Event.Tenant, &c.Event.Type, &c.Event.ContentType, &c.Event.Body,
		&c.Event.CoalesceKey, &c.Event.OccurredAt, &c.Event.AcceptedAt,
	}
}

func (c *claiming) readParked(rows pgx.Rows) error {
	c.parked = nil
	var ref delivery.LaneRef
	var isParked bool
	_, err := pgx.ForEachRow(rows, []any{&ref.Shard, &ref.EndpointID, &isParked}, func() error {
		if isParked {
			c.parked = append(c.parked, ref)
		}
		return nil
	})
	return err
}

func (s *Store) nextDue(ctx context.Context) (time.Duration, error) {
	var seconds *float64
	if err := s.hot.QueryRow(ctx, claimNextDueSQL).Scan(&seconds); err != nil {
		return delivery.NothingDue, fmt.Errorf("looking for the next due lane: %w", err)
	}
	if seconds == nil {
		return delivery.NothingDue, nil
	}
	return max(0, time.Duration(*seconds*float64(time.Second))), nil
}

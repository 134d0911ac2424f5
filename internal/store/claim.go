package store

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
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

//go:embed queries/claim_bodies.sql
var claimBodiesSQL string

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
	return s.claim(ctx, claiming{n: n, except: []delivery.ID{}})
}

// ClaimTrusted is like Claim, but only from lanes whose last answer came in good
// time, and not from those named. NextDue is about the same lanes.
func (s *Store) ClaimTrusted(ctx context.Context, n int, except []delivery.ID) (delivery.Claimed, error) {
	if except == nil {
		except = []delivery.ID{} // NULL would exclude every lane
	}
	return s.claim(ctx, claiming{n: n, trustedOnly: true, except: except})
}

func (s *Store) claim(ctx context.Context, wanted claiming) (delivery.Claimed, error) {
	wanted.store, wanted.token = s, delivery.NewID(0, time.Now(), s.random)
	var claim *claiming
	err := s.inHotTx(ctx, "claiming", func(tx pgx.Tx) error {
		fresh := wanted
		claim = &fresh
		claim.tx = tx
		return claim.run(ctx)
	})
	if err != nil {
		return delivery.Claimed{}, err
	}
	received := time.Now()
	for _, row := range claim.rows {
		row.claim.ReceivedAt = received
	}
	return claim.afterwards(ctx)
}

// claiming is one transaction of a claim.
type claiming struct {
	store *Store
	tx    pgx.Tx
	n     int
	token delivery.ID

	trustedOnly bool
	except      []delivery.ID

	lanes  []claimLane
	rows   []claimRow
	parked []delivery.LaneRef // left without claimable work
}

// claimRow is a claimed delivery whose body is still to be read.
type claimRow struct {
	claim       *delivery.Claim
	place, turn int64
	endpointID  delivery.ID
	rendering   int16
}

// targets are where the columns of claim_deliveries.sql go.
func (r *claimRow) targets() []any {
	c := r.claim
	return []any{
		&r.place, &r.turn, &r.endpointID, &c.DeliveryID, &c.Attempt, &c.CycleAttempt, &c.Trigger,
		&c.ScheduledAt, &c.CycleStartedAt, zeroable(&c.FirstAttemptAt), &c.ClaimedAt, &c.LeaseUntil,
		&c.Event.ID, &c.Event.Tenant, &c.Event.CoalesceKey, &r.rendering,
	}
}

type claimLane struct {
	delivery.LaneRef
	limit, leaseSeconds int32
	suspect             bool
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
	rows, _ := c.tx.Query(ctx, claimLanesSQL, c.n, c.trustedOnly, c.except)
	var unknown []delivery.LaneRef
	versions := make(map[delivery.ID]int64)
	var lane claimLane
	var version int64
	_, err := pgx.ForEachRow(rows, []any{&lane.Shard, &lane.EndpointID, &lane.limit, &lane.leaseSeconds, &version, &lane.suspect}, func() error {
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
	lanes := make(map[delivery.ID]claimLane, len(c.lanes))
	for _, lane := range c.lanes {
		lanes[lane.EndpointID] = lane
	}
	c.rows = nil
	for rows.Next() {
		row := claimRow{claim: &delivery.Claim{Token: c.token}}
		if err := rows.Scan(row.targets()...); err != nil {
			return err
		}
		lane := lanes[row.endpointID]
		row.claim.Endpoint, row.claim.Suspect = lane.endpoint, lane.suspect
		c.rows = append(c.rows, row)
	}
	slices.SortFunc(c.rows, func(a, b claimRow) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.turn, b.turn)) })
	return rows.Err()
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

// afterwards does, in one round trip, what comes after the commit.
//
// I4: parked first, committed, and now looked at again. A publisher that
// committed before the parking did and saw the lane still ready, is seen here.
func (c *claiming) afterwards(ctx context.Context) (delivery.Claimed, error) {
	result := delivery.Claimed{Lanes: len(c.lanes), NextDue: delivery.NothingDue}
	batch := &pgx.Batch{}
	batch.Queue(asyncCommit)
	if len(c.rows) > 0 {
		batch.Queue(claimBodiesSQL, c.bodiesWanted()...).Query(c.readBodies)
	}
	if len(c.parked) > 0 {
		shards, endpoints := splitRefs(c.parked)
		batch.Queue(wakeStrandedSQL, shards, endpoints, wakeChannel)
	}
	if len(c.rows) < c.n {
		batch.Queue(claimNextDueSQL, c.trustedOnly, c.except).QueryRow(func(row pgx.Row) error {
			var seconds *float64
			err := row.Scan(&seconds)
			if seconds != nil {
				result.NextDue = max(0, time.Duration(*seconds*float64(time.Second)))
			}
			return err
		})
	}
	err := c.store.inHotTx(ctx, "claiming", func(tx pgx.Tx) error { return runBatch(ctx, tx, batch) })
	if err != nil {
		return result, fmt.Errorf("reading what was claimed: %w", err)
	}
	for _, row := range c.rows {
		result.Claims = append(result.Claims, row.claim)
	}
	return result, nil
}

func (c *claiming) bodiesWanted() []any {
	n := len(c.rows)
	shards, events, renderings := make([]delivery.Shard, n), make([]delivery.ID, n), make([]int16, n)
	lowest, highest := c.rows[0].claim.Event.ID, c.rows[0].claim.Event.ID
	for i, row := range c.rows {
		id := row.claim.Event.ID
		shards[i], events[i], renderings[i] = id.Shard(), id, row.rendering
		if bytes.Compare(id[:], lowest[:]) < 0 {
			lowest = id
		}
		if bytes.Compare(id[:], highest[:]) > 0 {
			highest = id
		}
	}
	return []any{shards, events, renderings, lowest, highest}
}

func (c *claiming) readBodies(rows pgx.Rows) error {
	found := 0
	for rows.Next() {
		var position int
		var event delivery.Event
		err := rows.Scan(&position, &event.Type, &event.ContentType, &event.OccurredAt, &event.AcceptedAt, &event.Body)
		if err != nil {
			return err
		}
		found++
		claimed := &c.rows[position-1].claim.Event
		event.ID, event.Tenant, event.CoalesceKey = claimed.ID, claimed.Tenant, claimed.CoalesceKey
		*claimed = event
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if found < len(c.rows) {
		return fmt.Errorf("%d of %d events are missing", len(c.rows)-found, len(c.rows))
	}
	return nil
}

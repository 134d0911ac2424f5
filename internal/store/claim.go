package store

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/claim_lanes.sql
var claimLanesSQL string

//go:embed queries/claim_deliveries.sql
var claimDeliveriesSQL string

//go:embed queries/claim_place.sql
var claimPlaceSQL string

//go:embed queries/claim_park.sql
var claimParkSQL string

//go:embed queries/claim_settled.sql
var claimSettledSQL string

// Claim takes at most n due deliveries, the first of every ready lane before
// the second of any, and never more of a lane than its limit allows over all
// processes. When it returns, the claim is committed: what it returns may be
// sent, until the lease ends. What it returns together with an error is claimed
// but cannot be sent, and must be completed as unsent.
//
// The lanes are locked by one statement and counted by the next, whose snapshot
// is taken once the locks are held: nobody else can claim from them meanwhile,
// so the count is exact (I1). Lanes that others hold are skipped, not waited for.
func (s *Store) Claim(ctx context.Context, n int) (delivery.Claimed, error) {
	return s.claim(ctx, claiming{n: n, room: delivery.Room{Suspects: n, Slow: n}})
}

// ClaimHanded is like Claim, but takes no more of lanes that are not trusted than
// there is room for; More and NextDue are about lanes that there is still room for.
//
// It also looks at parked lanes that are handed to it because they have new work, so
// that they need not be woken first. Which of them it could not look at, it returns,
// unless waking them would change nothing: they must be woken, or they wait for the
// sweep. That goes for all of them beside an error, and for what the claim parked.
func (s *Store) ClaimHanded(ctx context.Context, n int, room delivery.Room, handed []delivery.LaneRef) (delivery.Claimed, error) {
	claimed, err := s.claim(ctx, claiming{n: n, room: room, handed: handed})
	if err != nil {
		claimed.Untaken = slices.Concat(handed, claimed.Untaken)
	}
	return claimed, err
}

func (s *Store) claim(ctx context.Context, wanted claiming) (delivery.Claimed, error) {
	var claim *claiming
	err := s.inHotTx(ctx, "claiming", func(tx *hotTx) error {
		fresh := wanted
		fresh.store, fresh.tx = s, tx
		claim = &fresh
		return claim.run(ctx)
	})
	switch {
	case err == nil:
		return claim.afterwards(ctx)
	case claim == nil:
		return delivery.Claimed{}, err
	}
	return delivery.Claimed{Untaken: claim.parked}, err // it may be committed in spite of the error
}

// claiming is one transaction of a claim.
type claiming struct {
	store *Store
	tx    *hotTx

	n      int
	room   delivery.Room
	handed []delivery.LaneRef

	// token carries the database's time: the attempts of a worker whose clock is
	// wrong must find their partition too.
	token delivery.ID

	lanes  []claimLane
	unseen map[delivery.Standing]bool // of which there may be lanes that are not among those
	rows   []claimRow
	parked []delivery.LaneRef // left without claimable work
	full   []delivery.LaneRef // left, or seen, with as much in flight as they may have
	// wasFull: all of its lanes were, and are where the claim leaves them as they were.
	wasFull bool
	// settled are lanes that were handed over, not locked, and need not be woken.
	settled map[delivery.ID]bool
	// spilled: a lane that was handed over has more than this claim takes, and stands
	// in line from now on.
	spilled bool
	due     []standingDue // when there is more
}

// claimRow is a claimed delivery whose event is still to be read.
type claimRow struct {
	claim              *delivery.Claim
	isWhole            bool // its event was found
	round, turn, place int64
	endpointID         delivery.ID
	rendering          int16
}

// compare is the order of sending: see claim_deliveries.sql.
func (r *claimRow) compare(other *claimRow) int {
	return cmp.Or(cmp.Compare(r.round, other.round), cmp.Compare(r.turn, other.turn), cmp.Compare(r.place, other.place))
}

// fill gives the claim what is to be sent. The claim knows the rest itself.
func (r *claimRow) fill(event delivery.Event) {
	claimed := &r.claim.Event
	event.ID, event.Tenant, event.CoalesceKey = claimed.ID, claimed.Tenant, claimed.CoalesceKey
	*claimed, r.isWhole = event, true
}

// targets are where the columns of claim_deliveries.sql go.
func (r *claimRow) targets() []any {
	c := r.claim
	return []any{
		&r.round, &r.turn, &r.place, &r.endpointID, &c.DeliveryID, &c.Attempt, &c.CycleAttempt, &c.Trigger,
		&c.ScheduledAt, &c.CycleStartedAt, zeroable(&c.FirstAttemptAt), &c.ClaimedAt, &c.LeaseUntil,
		&c.Event.ID, &c.Event.Tenant, &c.Event.CoalesceKey, &r.rendering,
	}
}

func (c *claiming) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		c.lockLanes,
		c.placeLate,
		c.takeDeliveries,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *claiming) lockLanes(ctx context.Context) error {
	var unknown []delivery.LaneRef
	versions := make(map[delivery.ID]int64)
	var now time.Time
	wanted := lanesWanted(c.n, c.room)
	var locked []claimLane
	batch := &pgx.Batch{}
	shards, endpoints := splitRefs(c.handed)
	batch.Queue(claimLanesSQL, wanted.standings, wanted.limits, wanted.except, shards, endpoints).Query(func(rows pgx.Rows) error {
		var lane claimLane
		_, err := pgx.ForEachRow(rows, lane.targets(&now), func() error {
			locked = append(locked, lane)
			return nil
		})
		return err
	})
	if err := c.tx.run(ctx, batch); err != nil {
		return fmt.Errorf("locking ready lanes: %w", err)
	}
	c.unseen = wanted.reached(locked)
	c.lanes = admit(locked, c.n, c.room, c.unseen)
	for i := range c.lanes {
		lane := &c.lanes[i]
		if lane.endpoint = c.store.configs.get(lane.EndpointID, lane.version); lane.endpoint == nil {
			unknown = append(unknown, lane.LaneRef)
			versions[lane.EndpointID] = lane.version
		}
	}
	c.token = delivery.NewID(0, now, c.store.random)
	return c.loadConfigs(ctx, unknown, versions)
}

// loadConfigs reads the endpoints that changed since they were last read.
func (c *claiming) loadConfigs(ctx context.Context, unknown []delivery.LaneRef, versions map[delivery.ID]int64) error {
	if len(unknown) == 0 {
		return nil
	}
	endpoints, err := c.store.loadEndpoints(ctx, c.tx, unknown)
	if err != nil {
		return err
	}
	for id, endpoint := range endpoints {
		c.store.configs.put(versions[id], endpoint)
	}
	for i := range c.lanes {
		lane := &c.lanes[i]
		if lane.endpoint == nil {
			lane.endpoint = endpoints[lane.EndpointID]
		}
		if lane.endpoint == nil { // removed by hand: nobody knows where to send anything
			c.store.log.Error("a lane has no endpoint; nothing is claimed from it", "endpoint", lane.EndpointID.Format(delivery.EndpointPrefix))
			lane.limit = 0
		}
	}
	return nil
}

// placeLate gives places, under the lanes' locks, to what has none in lanes that
// became strictly ordered a moment ago. For all others it costs nothing.
func (c *claiming) placeLate(ctx context.Context) error {
	var lanes []delivery.LaneRef
	for _, lane := range c.lanes {
		if lane.newlyFIFO {
			lanes = append(lanes, lane.LaneRef)
		}
	}
	if len(lanes) == 0 {
		return nil
	}
	shards, endpoints := splitRefs(lanes)
	if _, err := c.tx.Exec(ctx, claimPlaceSQL, shards, endpoints); err != nil {
		return fmt.Errorf("placing deliveries in strictly ordered lanes: %w", err)
	}
	return nil
}

func (c *claiming) takeDeliveries(ctx context.Context) error {
	batch := &pgx.Batch{}
	c.queueSettled(batch)
	if len(c.lanes) == 0 {
		c.queueNextDue(batch)
		return c.tx.finish(ctx, batch)
	}
	isDurable := slices.ContainsFunc(c.lanes, func(l claimLane) bool { return l.endpoint != nil && l.endpoint.AtMostOnce })
	if !isDurable {
		batch.Queue(asyncCommit) // losing an at-least-once claim only sends again
	}
	c.queueTake(batch)
	c.queueNextDue(batch)
	send := c.tx.finish
	if isDurable {
		// What goes out at most once is lost if its worker dies after this: so the
		// worker must live to ask for the commit (A06).
		send = c.tx.run
	}
	if err := send(ctx, batch); err != nil {
		return fmt.Errorf("taking due deliveries: %w", err)
	}
	return nil
}

// queueTake takes deliveries of the lanes, whose locks are held, and notes where it
// leaves them.
func (c *claiming) queueTake(batch *pgx.Batch) {
	lanes := columnsOf(c.lanes)
	batch.Queue(claimDeliveriesSQL, lanes.shards, lanes.endpoints, lanes.limits, lanes.leases, c.n, c.token,
		lanes.allowances, lanes.fifo, lanes.weights, lanes.turnsLeft).Query(c.readClaims)
	batch.Queue(claimParkSQL, lanes.shards, lanes.endpoints, lanes.limits, c.n, c.token,
		lanes.fifo, lanes.weights, lanes.turnsLeft, lanes.since, lanes.rates, lanes.bursts, lanes.rateReady).Query(c.readParked)
}

func (c *claiming) readClaims(rows pgx.Rows) error {
	lanes := c.lanesByID()
	c.rows = nil
	for rows.Next() {
		row := claimRow{claim: &delivery.Claim{Token: c.token, ReceivedAt: c.tx.before}}
		if err := rows.Scan(row.targets()...); err != nil {
			return err
		}
		lane := lanes[row.endpointID]
		row.claim.Endpoint, row.claim.Standing = lane.endpoint, lane.standing
		c.rows = append(c.rows, row)
	}
	slices.SortFunc(c.rows, func(a, b claimRow) int { return a.compare(&b) })
	return rows.Err()
}

func (c *claiming) lanesByID() map[delivery.ID]claimLane {
	lanes := make(map[delivery.ID]claimLane, len(c.lanes))
	for _, lane := range c.lanes {
		lanes[lane.EndpointID] = lane
	}
	return lanes
}

func (c *claiming) readParked(rows pgx.Rows) error {
	lanes := c.lanesByID()
	c.parked, c.full, c.spilled = nil, nil, false
	unchanged := make(map[delivery.ID]claimLane)
	if c.wasFull {
		unchanged = maps.Clone(lanes)
	}
	var ref delivery.LaneRef
	var isParked, isFull, isReady bool
	_, err := pgx.ForEachRow(rows, []any{&ref.Shard, &ref.EndpointID, &isParked, &isFull, &isReady}, func() error {
		lane := lanes[ref.EndpointID]
		delete(unchanged, ref.EndpointID)
		if isParked && lane.endpoint != nil {
			c.parked = append(c.parked, ref)
		}
		if isFull {
			c.full = append(c.full, ref)
		}
		c.spilled = c.spilled || isReady && lane.handed
		return nil
	})
	for _, lane := range unchanged {
		c.full = append(c.full, lane.LaneRef)
	}
	return err
}

package store

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

// claimLane is a lane that a claim has locked.
type claimLane struct {
	delivery.LaneRef
	limit, leaseSeconds int32
	version             int64 // of the endpoint's configuration
	standing            delivery.Standing
	fifo, newlyFIFO     bool      // strictly ordered: the limit is one at most; only just so
	weight, turnLeft    int32     // deliveries in a turn, and what is left of one that was cut short
	since               time.Time // its place in the line
	rate                float64   // attempts a second; 0: no limit
	burst               int32
	rateReady           pgtype.Timestamptz
	allowance           int32 // attempts that the rate leaves now
	handed              bool  // it did not stand in line
	endpoint            *delivery.Endpoint
}

// targets are where the columns of claim_lanes.sql go.
func (l *claimLane) targets(now *time.Time) []any {
	return []any{
		now, &l.Shard, &l.EndpointID, &l.limit, &l.leaseSeconds, &l.version, &l.standing, &l.fifo, &l.weight, &l.turnLeft,
		&l.since, &l.rate, &l.burst, &l.rateReady, &l.allowance, &l.newlyFIFO, &l.handed,
	}
}

// laneColumns are the lanes of a claim as parameters.
type laneColumns struct {
	shards                                                 []delivery.Shard
	endpoints                                              []delivery.ID
	limits, leases, weights, turnsLeft, bursts, allowances []int32
	fifo                                                   []bool
	since                                                  []time.Time
	rates                                                  []float64
	rateReady                                              []pgtype.Timestamptz
}

func columnsOf(lanes []claimLane) laneColumns {
	var c laneColumns
	for _, lane := range lanes {
		c.shards, c.endpoints = append(c.shards, lane.Shard), append(c.endpoints, lane.EndpointID)
		c.limits, c.leases = append(c.limits, lane.limit), append(c.leases, lane.leaseSeconds)
		c.weights, c.turnsLeft = append(c.weights, lane.weight), append(c.turnsLeft, lane.turnLeft)
		c.fifo, c.since = append(c.fifo, lane.fifo), append(c.since, lane.since)
		c.rates, c.bursts = append(c.rates, lane.rate), append(c.bursts, lane.burst)
		c.rateReady, c.allowances = append(c.rateReady, lane.rateReady), append(c.allowances, lane.allowance)
	}
	return c
}

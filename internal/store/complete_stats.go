package store

import (
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

//go:embed queries/complete_stats.sql
var completeStatsSQL string

// latencyBounds are the upper bounds of lane_stats' counts, in milliseconds, in
// the order of its columns. The last column counts the rest.
var latencyBounds = [...]int64{10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000}

// laneStats is what a batch adds to one row of malote.lane_stats.
type laneStats struct {
	hour           time.Time
	ok, failed, ms int64
	latency        [len(latencyBounds) + 1]int64
}

// statsOf gives the lane's row. A batch that straddles the hour counts all of
// it in the hour of its first attempt.
func (c *completing) statsOf(endpoint delivery.ID, at time.Time) *laneStats {
	stats := c.stats[endpoint]
	if stats == nil {
		stats = &laneStats{hour: at.UTC().Truncate(time.Hour)}
		c.stats[endpoint] = stats
	}
	return stats
}

func (s *laneStats) add(done policy.Completion) {
	if done.Decision.Success {
		s.ok++
	} else {
		s.failed++
	}
	took := done.Outcome.Duration.Milliseconds()
	s.ms += took
	bucket := 0
	for bucket < len(latencyBounds) && took > latencyBounds[bucket] {
		bucket++
	}
	s.latency[bucket]++
}

func (c *completing) queueStats(batch *pgx.Batch) {
	if len(c.stats) == 0 {
		return
	}
	var shards []delivery.Shard
	var ids []delivery.ID
	var hours []time.Time
	columns := make([][]int64, 3+len(latencyBounds)+1)
	for _, lane := range c.sortedLanes() {
		stats := c.stats[lane.ref.EndpointID]
		if stats == nil {
			continue
		}
		shards = append(shards, lane.ref.Shard)
		ids = append(ids, lane.ref.EndpointID)
		hours = append(hours, stats.hour)
		for i, count := range append([]int64{stats.ok, stats.failed, stats.ms}, stats.latency[:]...) {
			columns[i] = append(columns[i], count)
		}
	}
	arguments := []any{shards, ids, hours}
	for _, column := range columns {
		arguments = append(arguments, column)
	}
	batch.Queue(completeStatsSQL, arguments...)
}

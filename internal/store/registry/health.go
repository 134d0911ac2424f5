package registry

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// Health is how an endpoint is doing.
type Health struct {
	ConsecutiveFailures int // R08
	FirstFailureAt      time.Time
	LastFailureAt       time.Time
	LastSuccessAt       time.Time
	PausedUntil         time.Time // zero: its circuit is closed

	Limit    int           // how many may be in flight, but for slow-down and circuit
	LimitNow int           // how many may be in flight at this moment
	Circuit  circuit.Phase // at this moment

	Counted  bool // whether the rest is known
	Pending  int  // exact
	InFlight int  // exact
	// OldestPendingSince is when the oldest of the first 10,000 deliveries, in
	// the order they are due, was accepted or replayed; zero: none is pending.
	OldestPendingSince time.Time
}

// Counts are read off the partial indexes. The oldest needs the rows themselves,
// so it is looked for only among the first 10,000 that are due: of a longer
// backlog it may be a little younger than the oldest there is.
const countOpenSQL = `SELECT l.endpoint_id, pending.n, sending.n, oldest.since
	FROM malote.lanes AS l
	CROSS JOIN LATERAL (
		SELECT count(*) AS n FROM malote.queue AS q
		WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending') AS pending
	CROSS JOIN LATERAL (
		SELECT count(*) AS n FROM malote.queue AS q
		WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'sending') AS sending
	CROSS JOIN LATERAL (
		SELECT min(first.cycle_started_at) AS since FROM (
			SELECT q.cycle_started_at FROM malote.queue AS q
			WHERE q.shard = l.shard AND q.endpoint_id = l.endpoint_id AND q.status = 'pending'
			ORDER BY q.next_attempt_at, q.id LIMIT 10000) AS first) AS oldest
	WHERE l.shard = ANY($1) AND l.endpoint_id = ANY($2)`

// countOpen fills in the counts of the endpoints with the given ids.
func countOpen(ctx context.Context, from querier, healths []*Health, ids []delivery.ID) error {
	byID := make(map[delivery.ID]*Health, len(ids))
	shards := make([]delivery.Shard, len(ids))
	for i, id := range ids {
		byID[id], shards[i] = healths[i], id.Shard()
	}
	rows, _ := from.Query(ctx, countOpenSQL, shards, ids)
	var id delivery.ID
	var pending, inFlight int
	var since time.Time
	_, err := pgx.ForEachRow(rows, []any{&id, &pending, &inFlight, instant{&since}}, func() error {
		health := byID[id]
		health.Counted, health.Pending, health.InFlight, health.OldestPendingSince = true, pending, inFlight, since
		return nil
	})
	return err
}

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/history"
	"github.com/malotehq/malote/internal/store/watch"
)

func checkMigrations(ctx context.Context, dsn string) finding {
	found := finding{Check: "schema", Health: wrong, Fix: "run malote migrate up, or start malote serve"}
	migrations, err := store.MigrationsStatus(ctx, dsn)
	if err != nil {
		found.Found = oneLine(err.Error())
		return found
	}
	missing := 0
	for _, m := range migrations {
		if m.AppliedAt.IsZero() {
			missing++
		}
	}
	if missing > 0 {
		found.Found = fmt.Sprintf("%s of %d missing", counted(missing, "migration"), len(migrations))
		return found
	}
	return finding{Check: "schema", Health: healthy, Found: fmt.Sprintf("current: %s applied", counted(len(migrations), "migration"))}
}

// Maintenance keeps partitions two weeks ahead; without one for today, nothing
// can be published.
const (
	partitionsSoon = 7 * day
	partitionsLate = 2 * day
)

func checkPartitions(ctx context.Context, s *store.Store, now time.Time) finding {
	until, err := s.PartitionsUntil(ctx)
	if err != nil {
		return finding{Check: "partitions", Health: wrong, Found: oneLine(err.Error()), Fix: "run malote migrate up"}
	}
	found := finding{Check: "partitions", Health: healthy, Found: fmt.Sprintf("there are some until %s", until.Format(time.DateOnly))}
	if left := until.Sub(now); left < partitionsSoon {
		found.Health = warning
		found.Fix = "a malote serve with the role worker makes them ahead: see that one runs; malote migrate up does it now"
		if left < partitionsLate {
			found.Health = wrong
		}
	}
	return found
}

const (
	// grace is how late work may be before somebody should look.
	grace = 30 * time.Second

	countedLeases = 1000
)

// checkLeases looks for claims of dead workers that nobody takes back (F12).
func checkLeases(ctx context.Context, s *store.Store) finding {
	claims, now, err := s.ExpiredLeases(ctx, countedLeases)
	if err != nil {
		return finding{Check: "leases", Health: wrong, Found: oneLine(err.Error()), Fix: "look at PostgreSQL's log"}
	}
	oldest := time.Duration(0)
	for _, claim := range claims {
		oldest = max(oldest, now.Sub(claim.LeaseUntil))
	}
	if oldest <= grace {
		return finding{Check: "leases", Health: healthy, Found: "none has run out"}
	}
	return finding{
		Check: "leases", Health: wrong,
		Found: fmt.Sprintf("%s of dead workers, the oldest for %s", counted(len(claims), "expired lease"), brief(oldest)),
		Fix:   "start a malote serve with the role worker: it puts them back into the queue",
	}
}

const (
	lanesLookedAt = 20
	rowsPerLane   = 250
)

// checkOverdue looks, at the most delayed endpoints, for deliveries that are
// due and could be sent, and are not.
func checkOverdue(ctx context.Context, reader *history.Reader, now time.Time) finding {
	broken := func(err error) finding {
		return finding{Check: "queue", Health: wrong, Found: oneLine(err.Error()), Fix: "look at PostgreSQL's log"}
	}
	lag, err := reader.Lag(ctx, lanesLookedAt)
	if err != nil {
		return broken(err)
	}
	late, lanes := time.Duration(0), 0
	for _, lane := range lag.Lanes {
		if !mayBeSent(lane, now) {
			continue
		}
		here, err := overdue(ctx, reader, lane.EndpointID, now)
		if err != nil {
			return broken(err)
		}
		if here > 0 {
			lanes++
		}
		late = max(late, here)
	}
	pending := fmt.Sprintf("%d pending, %d being sent", lag.Open.Pending, lag.Open.Sending)
	if lag.Open.Pending > 0 {
		pending += fmt.Sprintf(", the oldest for %s (%s over healthy endpoints)", brief(lag.Oldest), brief(lag.OldestHealthy))
	}
	if late == 0 {
		return finding{Check: "queue", Health: healthy, Found: pending + "; none is overdue"}
	}
	return finding{
		Check: "queue", Health: wrong,
		Found: fmt.Sprintf("%s; deliveries to %s are overdue by up to %s", pending, counted(lanes, "endpoint"), brief(late)),
		Fix:   "see that a malote serve with the role worker runs; if it does, it is out of capacity: raise --max-in-flight, or start another",
	}
}

// mayBeSent says whether a lane's due deliveries should be on their way.
func mayBeSent(lane history.LaneLag, now time.Time) bool {
	return lane.Status == delivery.Active && lane.InFlight < lane.Limit && !lane.PausedUntil.After(now)
}

// overdue is for how long the endpoint's oldest due delivery is due beyond
// grace; 0: none is.
func overdue(ctx context.Context, reader *history.Reader, endpoint delivery.ID, now time.Time) (time.Duration, error) {
	page, err := reader.Deliveries(ctx, history.DeliveryFilter{
		EndpointID: endpoint, State: delivery.Pending, Until: now.Add(-grace), Limit: rowsPerLane,
	})
	oldest := time.Duration(0)
	for _, d := range page.Deliveries {
		oldest = max(oldest, now.Sub(d.NextAttemptAt))
	}
	if oldest <= grace {
		return 0, err
	}
	return oldest, err
}

// checkDeadLetters looks for tenants whose dead deliveries nobody sees to (A07): a
// worker tells of each once a day.
func checkDeadLetters(ctx context.Context, s *store.Store, now time.Time) finding {
	found := finding{Check: "dead letters", Health: healthy, Found: "none that nobody sees to"}
	page, err := watch.New(s, watch.Options{}).Signals(ctx, watch.Filter{Kind: delivery.DeadUnattended, Since: now.Add(-day)}, delivery.ID{}, watch.MaxLimit)
	if err != nil {
		return finding{Check: found.Check, Health: wrong, Found: oneLine(err.Error()), Fix: "look at PostgreSQL's log"}
	}
	tenants := map[string]bool{}
	for _, signal := range page.Signals {
		tenants[signal.Tenant] = true
	}
	if len(tenants) > 0 {
		found.Health = warning
		found.Found = counted(len(tenants), "tenant") + " had some for over 24 hours when a worker last looked"
		found.Fix = "see malote signals --kind dead_unattended, then malote replay or malote deliveries resolve"
	}
	return found
}

package history

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// cost is what a plan did when it ran.
type cost struct {
	Blocks int      // pages of tables and indexes that were touched
	Scans  []string // tables of the log and the queue that were read from end to end
}

type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Hit      int        `json:"Shared Hit Blocks"`
	Read     int        `json:"Shared Read Blocks"`
	Plans    []planNode `json:"Plans"`
}

// explain runs a statement as the reader does and says what it cost.
func (s seeder) explain(sql string, parameters ...any) cost {
	s.t.Helper()
	var plan []byte
	rollback := errors.New("rollback")
	err := pgx.BeginTxFunc(s.t.Context(), s.store.Pool(), snapshot, func(tx pgx.Tx) error {
		parameters = append([]any{planned}, parameters...)
		return errors.Join(rollback, tx.QueryRow(s.t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, parameters...).Scan(&plan))
	})
	require.Equal(s.t, rollback.Error(), err.Error())
	var parsed []struct{ Plan planNode }
	require.NoError(s.t, json.Unmarshal(plan, &parsed))
	root := parsed[0].Plan
	return cost{Blocks: root.Hit + root.Read, Scans: root.scans()}
}

func (n planNode) scans() []string {
	var found []string
	const few = 8 // pages; reading a table as small as this is no scan
	if n.Type == "Seq Scan" && n.Hit+n.Read > few {
		for _, table := range []string{"events", "deliveries", "attempts", "queue"} {
			if strings.HasPrefix(n.Relation, table) {
				found = append(found, n.Relation)
			}
		}
	}
	for _, child := range n.Plans {
		found = append(found, child.scans()...)
	}
	return found
}

// paths are the main ways through the history.
func paths(w busyWorld) map[string]func(seeder) cost {
	// width is what the walk may have come to where the filter has no index of its own.
	list := func(f DeliveryFilter, width time.Duration) func(seeder) cost {
		return func(s seeder) cost {
			way := f.listing()
			slice := f.span(w.now)
			if way.first > 0 {
				slice = slice.newest(width, w.now)
			}
			sql, parameters := way.statement(f, slice, DefaultLimit+1)
			return s.explain(sql, parameters...)
		}
	}
	middle := w.newest[len(w.newest)/2]
	return map[string]func(seeder) cost{
		"endpoint":            list(DeliveryFilter{EndpointID: w.backlogged}, 30*time.Minute),
		"endpoint, deep":      list(DeliveryFilter{EndpointID: w.backlogged, After: middle}, 30*time.Minute),
		"healthy neighbour":   list(DeliveryFilter{EndpointID: w.healthy}, 30*time.Minute),
		"endpoint, pending":   list(DeliveryFilter{EndpointID: w.backlogged, State: delivery.Pending}, 30*time.Minute),
		"endpoint, dead":      list(DeliveryFilter{EndpointID: w.healthy, Tenant: w.tenant, State: delivery.Dead}, 30*time.Minute),
		"endpoint, delivered": list(DeliveryFilter{EndpointID: w.healthy, State: delivery.Delivered}, 30*time.Minute),
		"tenant":              list(DeliveryFilter{Tenant: w.tenant}, 30*time.Minute),
		"tenant, deep":        list(DeliveryFilter{Tenant: w.tenant, After: middle}, 30*time.Minute),
		"tenant, dead":        list(DeliveryFilter{Tenant: w.tenant, State: delivery.Dead}, 30*time.Minute),
		"everything":          list(DeliveryFilter{}, time.Minute),
		"everything, dead":    list(DeliveryFilter{State: delivery.Dead}, time.Minute),
		"event":               list(DeliveryFilter{EventID: w.event}, 30*time.Minute),
		"one delivery": func(s seeder) cost {
			one := idRange{middle, successor(middle)}
			first, last := one.events()
			return s.explain(pageOfOneSQL+deliveryRowsSQL, one.from, one.to, first, last, middle.Shard())
		},
		"events": func(s seeder) cost {
			return s.explain(eventsSQL, delivery.ShardOf(w.tenant), w.tenant, middle, lastID, "",
				delivery.ID{}, "", "", DefaultLimit+1)
		},
		"outcomes": func(s seeder) cost {
			first, past := delivery.EventRange(w.event)
			return s.explain(deliveriesOfEventsSQL, w.event.Shard(), []delivery.ID{w.event}, first, past, []delivery.ID{first}, []delivery.ID{past},
				delivery.ID{}, delivery.ID{}, delivery.ID{}, 1000)
		},
		"events by external id": func(s seeder) cost {
			return s.explain(eventsSQL, delivery.ShardOf(w.tenant), w.tenant, firstID, lastID, "", delivery.ID{}, "nothing", "", DefaultLimit+1)
		},
		"events by source": func(s seeder) cost {
			return s.explain(eventsSQL, delivery.ShardOf(w.tenant), w.tenant, firstID, lastID, "", w.healthy, "", "", DefaultLimit+1)
		},
		"dead of a tenant": func(s seeder) cost {
			return s.explain(deadOfTenantSQL, 100, "", "", "", delivery.ShardOf(w.tenant), w.tenant, delivery.ID{})
		},
		"worklist of a tenant": func(s seeder) cost {
			sql, parameters := Worklist{DeadFilter: DeadFilter{Tenant: w.tenant}, After: middle}.statement(w.now, DefaultLimit+1)
			return s.explain(sql, parameters...)
		},
		"lanes": func(s seeder) cost { return s.explain(lanesWithPendingSQL) },
		"lag of one lane": func(s seeder) cost {
			return s.explain(laneLagSQL, []delivery.Shard{w.backlogged.Shard()}, []delivery.ID{w.backlogged}, 100)
		},
		"counts": func(s seeder) cost {
			return s.explain(laneCountsSQL, []delivery.Shard{w.healthy.Shard()}, []delivery.ID{w.healthy}, 100)
		},
		"sending": func(s seeder) cost { return s.explain(sendingSQL) },
	}
}

// busyWorld is a tenant with one endpoint that does not keep up and one that does.
type busyWorld struct {
	tenant              string
	backlogged, healthy delivery.ID
	newest              []delivery.ID
	event               delivery.ID
	now                 time.Time
}

// grow adds n events below the oldest so far.
func (w *busyWorld) grow(s seeder, n int) {
	end := w.now
	if len(w.newest) > 0 {
		end = w.newest[len(w.newest)-1].Time()
	}
	events, ids := s.write(eventsAt(w.tenant, "a", end, n, func(i int) []seedDelivery {
		state := delivery.Delivered
		if i%20 == 0 {
			state = delivery.Dead
		}
		return []seedDelivery{{w.backlogged, delivery.Pending}, {w.healthy, state}}
	})...)
	for i := len(ids) - 2; i >= 0; i -= 2 {
		w.newest = append(w.newest, ids[i])
	}
	w.event = events[0]
}

// A page, a look-up and the lag cost the same however much there is. It is noon: of
// a day that has just begun the planner may well read all there is, in one go.
func TestCost_GrowsNeitherWithHistoryNorWithBacklog(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(-12 * time.Hour)
	w := busyWorld{tenant: s.tenant("acme"), now: noon}
	w.backlogged, w.healthy = s.endpoint(w.tenant), s.endpoint(w.tenant)
	w.grow(s, 2_000)
	s.exec(`ANALYZE`)
	small := make(map[string]cost)
	for name, run := range paths(w) {
		small[name] = run(s)
	}
	w.grow(s, 10_000)
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			s.exec(`ANALYZE`)
		}
		for name, run := range paths(w) {
			big := run(s)
			require.Empty(t, big.Scans, "%s (analyzed: %t)", name, analyzed)
			require.LessOrEqual(t, big.Blocks, 2*small[name].Blocks+100, "%s (analyzed: %t)", name, analyzed)
		}
	}
}

package history

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// allPages follows Next to the end.
func allPages(t *testing.T, r *Reader, filter DeliveryFilter, between func()) []delivery.Delivery {
	t.Helper()
	var all []delivery.Delivery
	for {
		page, err := r.Deliveries(t.Context(), filter)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Deliveries), pageLimit(filter.Limit))
		all = append(all, page.Deliveries...)
		if page.Next.IsZero() {
			return all
		}
		filter.After = page.Next
		if between != nil {
			between()
		}
	}
}

// world is a little of everything: two tenants, one with a deleted endpoint and
// events that matched none, over two days.
type world struct {
	tenants   []string
	endpoints []delivery.ID // 0–2 of tenant 0, 3 of tenant 1
	events    []delivery.ID
	all       []delivery.Delivery // newest first
}

func makeWorld(s seeder, now time.Time) world {
	w := world{tenants: []string{s.tenant("acme"), s.tenant("zenith")}}
	for _, tenant := range []int{0, 0, 0, 1} {
		w.endpoints = append(w.endpoints, s.endpoint(w.tenants[tenant]))
	}
	s.exec(`UPDATE malote.endpoints SET deleted_at = now() WHERE shard = $1 AND id = $2`, w.endpoints[2].Shard(), w.endpoints[2])
	var events []seedEvent
	for i := range 90 {
		e := seedEvent{w.tenants[i%3/2], fmt.Sprintf("type.%d", i%2), now.Add(time.Duration(i*i-90*90) * 15 * time.Second), nil}
		endpoints := w.endpoints[:3]
		if i%3 == 2 {
			endpoints = w.endpoints[3:]
		}
		for j, endpoint := range endpoints {
			e.to = append(e.to, seedDelivery{endpoint, delivery.States[(i+j)%len(delivery.States)]})
		}
		if i%10 == 0 {
			e.to = []seedDelivery{{state: delivery.Skipped}}
		}
		events = append(events, e)
	}
	var ids []delivery.ID
	w.events, ids = s.write(events...)
	for i, e := range events {
		for _, to := range e.to {
			w.all = append(w.all, delivery.Delivery{ID: ids[0], EventID: w.events[i], EndpointID: to.endpoint,
				Tenant: e.tenant, EventType: e.eventType, State: to.state})
			ids = ids[1:]
		}
	}
	slices.SortFunc(w.all, func(a, b delivery.Delivery) int { return compareIDs(b.ID, a.ID) })
	return w
}

// matching is what a filter means.
func (w world) matching(f DeliveryFilter) []string {
	ids := []string{}
	for _, d := range w.all {
		if (f.Tenant == "" || d.Tenant == f.Tenant) && (f.EndpointID.IsZero() || d.EndpointID == f.EndpointID) &&
			(f.EventID.IsZero() || d.EventID == f.EventID) && (f.State == "" || d.State == f.State) &&
			(f.EventType == "" || d.EventType == f.EventType) &&
			(f.Since.IsZero() || !d.ID.Time().Before(f.Since)) && (f.Until.IsZero() || d.ID.Time().Before(f.Until)) {
			ids = append(ids, d.ID.String())
		}
	}
	return ids
}

func TestDeliveries_R04_EveryCombinationOfFilters(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	now := time.Now()
	w := makeWorld(s, now)
	everyState := append([]delivery.State{""}, delivery.States...)
	var filters []DeliveryFilter
	for _, tenant := range []string{"", w.tenants[0], "nobody"} {
		for _, endpoint := range []delivery.ID{{}, w.endpoints[0], w.endpoints[2], w.endpoints[3]} {
			for _, state := range everyState {
				filters = append(filters, DeliveryFilter{Tenant: tenant, EndpointID: endpoint, State: state, Limit: 250})
			}
			for _, state := range everyState[:5] {
				filters = append(filters,
					DeliveryFilter{Tenant: tenant, EndpointID: endpoint, State: state, EventID: w.events[4], EventType: "type.0"},
					DeliveryFilter{Tenant: tenant, EndpointID: endpoint, State: state, EventType: "type.1", Limit: 250})
			}
		}
	}
	for _, f := range filters {
		require.Equal(t, w.matching(f), idsOf(allPages(t, r, f, nil)), "%+v", f)
	}
}

func TestDeliveries_PagesAndTimeBounds(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	now := time.Now()
	w := makeWorld(s, now)
	for _, f := range []DeliveryFilter{
		{}, {Tenant: w.tenants[0]}, {EndpointID: w.endpoints[1]}, {Tenant: w.tenants[0], State: delivery.Dead},
		{State: delivery.Pending}, {EndpointID: w.endpoints[3], State: delivery.Dead}, {EventType: "type.0"},
	} {
		f.Limit = 7
		require.Equal(t, w.matching(f), idsOf(allPages(t, r, f, nil)), "%+v", f)
		f.Since, f.Until = now.Add(-30*time.Hour-time.Second), now.Add(-time.Hour)
		require.Equal(t, w.matching(f), idsOf(allPages(t, r, f, nil)), "%+v", f)
		f.Since = now.Add(time.Hour)
		require.Empty(t, allPages(t, r, f, nil))
	}
}

func TestDeliveries_R04_RowsShowWhatHappened(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	events, ids := s.write(seedEvent{tenant, "invoice.paid", time.Now(),
		[]seedDelivery{{endpoint, delivery.Pending}, {endpoint, delivery.Sending}, {endpoint, delivery.Superseded}, {state: delivery.Skipped}}})
	next := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	s.exec(`UPDATE malote.queue SET attempt_count = 3, last_status = 503, last_error = 'http_status', coalesce_key = 'K',
		next_attempt_at = $1 WHERE shard = $2`, next, endpoint.Shard())
	s.exec(`UPDATE malote.deliveries SET reason = 'replaced_by_newer', superseded_by = $1, trigger = 'replay', resolution = 'text'
		WHERE shard = $2 AND id = $3`, ids[0], endpoint.Shard(), ids[2])

	got := make(map[delivery.ID]delivery.Delivery)
	for _, d := range allPages(t, r, DeliveryFilter{}, nil) {
		got[d.ID] = d
	}
	pending := got[ids[0]]
	require.Equal(t, delivery.Delivery{ID: ids[0], EventID: events[0], EndpointID: endpoint, Tenant: tenant, EventType: "invoice.paid",
		State: delivery.Pending, Trigger: delivery.TriggerSchedule, AttemptCount: 3, NextAttemptAt: next, LastStatus: 503,
		LastError: delivery.HTTPStatus, CoalesceKey: "K", CreatedAt: events[0].Time()}, pending)
	require.Zero(t, got[ids[1]].NextAttemptAt, "it is being sent")
	superseded := got[ids[2]]
	require.Equal(t, ids[0], superseded.SupersededBy)
	require.Equal(t, delivery.ReplacedByNewer, superseded.Reason)
	require.Equal(t, "text", superseded.Resolution)
	require.Equal(t, delivery.TriggerReplay, superseded.Trigger)
	require.False(t, superseded.ClosedAt.IsZero())
	require.Zero(t, got[ids[3]].EndpointID)
}

func TestDeliveries_RowsMoveBetweenPages(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	_, ids := s.write(eventsAt(tenant, "a", time.Now(), 60, func(int) []seedDelivery {
		return []seedDelivery{{endpoint, delivery.Pending}}
	})...)
	slices.Reverse(ids)
	for _, f := range []DeliveryFilter{{EndpointID: endpoint}, {Tenant: tenant}, {}} {
		moved := 0
		f.Limit = 5
		got := allPages(t, r, f, func() {
			for range 2 { // one that was shown and one that will be
				if moved < len(ids) {
					s.closeDelivery(ids[moved], delivery.Delivered)
					s.closeDelivery(ids[len(ids)-1-moved/2], delivery.Dead)
					moved++
				}
			}
		})
		require.Equal(t, texts(ids), idsOf(got), "%+v", f)
	}
}

// While one goroutine closes and reopens deliveries without end, every listing
// shows each of them exactly once.
func TestDeliveries_RowsMoveDuringPages(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	_, ids := s.write(eventsAt(tenant, "a", time.Now(), 30, func(int) []seedDelivery {
		return []seedDelivery{{endpoint, delivery.Pending}}
	})...)
	done := make(chan struct{})
	var movers sync.WaitGroup
	movers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				move(t, s, ids[i%len(ids)])
			}
		}
	})
	defer movers.Wait()
	defer close(done)
	newest := slices.Clone(ids)
	slices.Reverse(newest)
	for range 15 {
		for _, f := range []DeliveryFilter{{EndpointID: endpoint, Limit: 4}, {Tenant: tenant, Limit: 11}} {
			require.Equal(t, texts(newest), idsOf(allPages(t, r, f, nil)), "%+v", f)
		}
		_, _, err := r.Delivery(t.Context(), ids[0])
		require.NoError(t, err)
	}
}

// move takes a delivery to wherever it is not.
func move(t *testing.T, s seeder, id delivery.ID) {
	const sql = `WITH gone AS (DELETE FROM malote.queue WHERE shard = $1 AND id = $2 RETURNING *),
		back AS (DELETE FROM malote.deliveries WHERE shard = $1 AND id = $2 RETURNING *),
		closed AS (INSERT INTO malote.deliveries (shard, id, endpoint_id, event_id, tenant, state, trigger, closed_at)
			SELECT shard, id, endpoint_id, event_id, tenant, 'dead', trigger, now() FROM gone)
		INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
			SELECT shard, id, endpoint_id, event_id, tenant, 'pending', trigger, now(), now() FROM back`
	if _, err := s.store.Pool().Exec(t.Context(), sql, id.Shard(), id); err != nil {
		t.Errorf("moving a delivery: %v", err)
	}
}

func TestWider_FollowsWhatIsLeftOfThePagesTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, took, left, want time.Duration }{
		{time.Second, 0, 2 * time.Second, 8 * time.Second},
		{time.Second, 50 * time.Millisecond, 2 * time.Second, 8 * time.Second},
		{time.Second, 100 * time.Millisecond, 2 * time.Second, 8 * time.Second}, // a busy machine, not a full range
		{time.Second, 250 * time.Millisecond, 2 * time.Second, 4 * time.Second},
		{time.Second, time.Second, time.Second, time.Second},
		{time.Minute, time.Minute, time.Second, time.Minute},
		{time.Minute, time.Millisecond, 0, time.Minute},
		{longestRange, time.Millisecond, time.Second, longestRange},
		{0, time.Millisecond, time.Second, 0}, // all at once
	} {
		require.Equal(t, c.want, wider(c.width, c.took, c.left), c)
	}

	// Where each statement takes a quarter of a second, however short its range is,
	// a page's two seconds reach further back than one range for each.
	const perStatement = 250 * time.Millisecond
	var reached time.Duration
	for width, left := time.Second, 2*time.Second; left > 0; {
		reached += width
		left -= perStatement
		width = wider(width, perStatement, left)
	}
	require.Greater(t, reached, 2*time.Minute)
}

// With no patience at all every page looks through one range and says where to
// go on, and still nothing is lost.
func TestDeliveries_ShortPagesGoOn(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	r.patience = 0
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	now := time.Now()
	_, ids := s.write(eventsAt(tenant, "a", now, 6, func(int) []seedDelivery {
		return []seedDelivery{{endpoint, delivery.Delivered}}
	})...)
	slices.Reverse(ids)
	page, err := r.Deliveries(t.Context(), DeliveryFilter{EventType: "b"})
	require.NoError(t, err)
	require.Empty(t, page.Deliveries)
	require.False(t, page.Next.IsZero(), "there is more to look through")
	require.Equal(t, texts(ids), idsOf(allPages(t, r, DeliveryFilter{Since: now.Add(-7 * time.Second)}, nil)))
}

func TestDeliveriesOfEvent_TellsItsNeighboursApart(t *testing.T) {
	t.Parallel()
	s, r := seeded(t)
	tenant := s.tenant("acme")
	endpoint := s.endpoint(tenant)
	at := time.Now()
	// Three events of one tick lie in one range of ids.
	var same []seedEvent
	for range 3 {
		same = append(same, seedEvent{tenant, "a", at, []seedDelivery{{endpoint, delivery.Pending}, {endpoint, delivery.Dead}, {state: delivery.Skipped}}})
	}
	events, ids := s.write(same...)
	for i, event := range events {
		found, err := r.DeliveriesOfEvent(t.Context(), event)
		require.NoError(t, err)
		require.ElementsMatch(t, texts(ids[3*i:3*i+3]), idsOf(found))
		require.True(t, slices.IsSortedFunc(found, func(a, b delivery.Delivery) int { return compareIDs(a.ID, b.ID) }))
	}
	found, err := r.DeliveriesOfEvent(t.Context(), delivery.FloorID(at.Add(time.Hour)))
	require.NoError(t, err)
	require.Empty(t, found)
}

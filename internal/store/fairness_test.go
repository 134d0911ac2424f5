package store_test

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// modelLane is a lane as the model of a claim knows it.
type modelLane struct {
	id      delivery.ID
	limit   int
	sending int
	due     []delivery.ID // in the order of (next_attempt_at, id)
	later   int           // not due yet
}

// TestFairQueue_F04_I2_AnyBacklogsAndLimits compares claims with a model: of any
// lanes with any backlogs, limits and deliveries under way, the first of each
// that may be sent goes before the second of any, and a lane's own in the order
// in which they are due.
func TestFairQueue_F04_I2_AnyBacklogsAndLimits(t *testing.T) {
	f := newFixture(t)
	var endpoints []*delivery.Endpoint
	for i := range 6 {
		endpoints = append(endpoints, f.endpoint(fmt.Sprintf("tenant-%d", i), 1))
	}
	f.publishMany("tenant-0", 1) // the event that all of the queue's rows are of
	event := scalar[delivery.ID](f, `SELECT id FROM malote.events`)
	rapid.Check(t, func(t *rapid.T) {
		f.exec(`DELETE FROM malote.queue`)
		lanes := make(map[delivery.ID]*modelLane)
		for i, e := range endpoints {
			lane := &modelLane{
				id: e.ID, limit: rapid.IntRange(1, 5).Draw(t, "limit"), sending: rapid.IntRange(0, 3).Draw(t, "sending"),
				later: rapid.IntRange(0, 2).Draw(t, "later"),
			}
			lanes[e.ID] = lane
			f.fill(event, lane, rapid.SliceOfN(rapid.IntRange(0, 30), 0, 12).Draw(t, "due since"))
			f.exec(`UPDATE malote.lanes SET claim_limit = $3, parked_full = false, ready_at = now() - make_interval(secs => $4)
				WHERE shard = $1 AND endpoint_id = $2`, e.ID.Shard(), e.ID, lane.limit, len(endpoints)-i)
		}
		n := rapid.IntRange(1, 24).Draw(t, "n")
		claimed, err := f.store.Claim(f.Context(), n)
		require.NoError(t, err)
		want := modelClaim(lanes, endpoints, n)
		got := make([]delivery.ID, len(claimed.Claims))
		for i, c := range claimed.Claims {
			got[i] = c.DeliveryID
		}
		require.Equal(t, want, got)
		for _, lane := range lanes {
			require.LessOrEqual(t, scalar[int](f, `SELECT count(*)::int FROM malote.queue WHERE shard = $1 AND endpoint_id = $2 AND status = 'sending'`,
				lane.id.Shard(), lane.id), max(lane.limit, lane.sending))
		}
		f.checkParked(t, lanes, claimed)
	})
}

// fill puts a lane's rows into the queue, and their order into the model.
func (f *fixture) fill(event delivery.ID, lane *modelLane, dueSince []int) {
	f.Helper()
	type row struct {
		id    delivery.ID
		since int
	}
	var due []row
	insert := func(status string, since int) delivery.ID {
		id := delivery.NewDeliveryID(event, rand.Reader)
		f.exec(`INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger, next_attempt_at, cycle_started_at)
			VALUES ($1, $2, $3, $4, 'tenant', $5, 'schedule', date_trunc('minute', now()) - make_interval(mins => $6), now())`,
			lane.id.Shard(), id, lane.id, event, status, since)
		return id
	}
	for range lane.sending {
		insert("sending", 0)
	}
	for range lane.later {
		insert("pending", -60)
	}
	for _, since := range dueSince {
		due = append(due, row{insert("pending", since), since})
	}
	slices.SortFunc(due, func(a, b row) int { return cmp.Or(b.since-a.since, slices.Compare(a.id[:], b.id[:])) })
	for _, r := range due {
		lane.due = append(lane.due, r.id)
	}
}

// modelClaim takes from the lanes in the order of their turn, one of each, until
// n are taken or none may be. Only n lanes are looked at.
func modelClaim(lanes map[delivery.ID]*modelLane, order []*delivery.Endpoint, n int) []delivery.ID {
	taken := []delivery.ID{}
	for place := range math.MaxInt {
		before := len(taken)
		for _, e := range order[:min(n, len(order))] {
			lane := lanes[e.ID]
			if len(taken) < n && place < len(lane.due) && place < lane.limit-lane.sending {
				taken = append(taken, lane.due[place])
			}
		}
		if len(taken) == before {
			return taken
		}
	}
	return taken
}

// checkParked: every lane that was looked at says rightly when to look again.
func (f *fixture) checkParked(t *rapid.T, lanes map[delivery.ID]*modelLane, claimed delivery.Claimed) {
	taken := make(map[delivery.ID]int)
	for _, c := range claimed.Claims {
		taken[c.Endpoint.ID]++
	}
	rows, err := f.store.Pool().Query(f.Context(), `SELECT endpoint_id, parked_full, ready_at <= now(), ready_at = 'infinity' FROM malote.lanes`)
	require.NoError(t, err)
	defer rows.Close()
	ready := 0
	for rows.Next() {
		var id delivery.ID
		var full, now, never bool
		require.NoError(t, rows.Scan(&id, &full, &now, &never))
		lane := lanes[id]
		isFull := lane.sending+taken[id] >= lane.limit
		left := len(lane.due) - taken[id]
		if now {
			ready++
		}
		switch {
		case len(claimed.Lanes) < len(lanes) && taken[id] == 0:
			continue // perhaps not looked at
		case isFull:
			require.True(t, full && never, "a full lane is woken by its completions")
		case left > 0:
			require.True(t, now && !full, "there is more")
		case lane.later > 0:
			require.True(t, !now && !never && !full, "there will be")
		default:
			require.True(t, never && !full, "there is nothing")
		}
	}
	if len(claimed.Claims) < len(claimed.Lanes) {
		require.Equal(t, ready > 0, claimed.NextDue == 0)
	}
	if claimed.NextDue > 0 {
		require.InDelta(t, 59.5, claimed.NextDue.Minutes(), 1)
	}
}

// However long one lane's backlog is, another's single delivery has its turn.
func TestFairQueue_F04_EverybodyGetsTheSameShare(t *testing.T) {
	f := newFixture(t)
	f.endpoint("busy", 10)
	f.publishMany("busy", 200)
	for i := range 5 {
		tenant := fmt.Sprintf("calm-%d", i)
		f.endpoint(tenant, 10)
		f.publishMany(tenant, 3)
	}
	turns := make(map[string]int)
	for range 6 {
		for _, c := range f.claim(3) {
			turns[c.Event.Tenant]++
			f.answer(200, c)
		}
	}
	require.Len(t, turns, 6)
	for tenant, n := range turns {
		require.Equal(t, 3, n, tenant)
	}
}

func TestClaim_NextDueIsTheEarliestOfAll(t *testing.T) {
	f := newFixture(t)
	claimed, err := f.store.Claim(t.Context(), 5)
	require.NoError(t, err)
	require.Equal(t, delivery.NothingDue, claimed.NextDue)
	f.endpoint("acme", 4)
	f.endpoint("bolt", 4)
	f.publishMany("acme", 1)
	f.publishMany("bolt", 1)
	f.answer(500, f.claim(5)...)
	f.exec(`UPDATE malote.lanes SET ready_at = now() + interval '7 seconds' WHERE tenant = 'bolt'`)
	claimed, err = f.store.Claim(t.Context(), 5)
	require.NoError(t, err)
	require.InDelta(t, 7, claimed.NextDue.Seconds(), 2)
	require.Less(t, claimed.NextDue, 7*time.Second)
}

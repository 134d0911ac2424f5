package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
)

// All who lock several lanes lock them in one order. A third holds the last of
// them until everybody waits for somebody.
func TestComplete_LanesAreLockedInOneOrder(t *testing.T) {
	f := newFixture(t)
	const lanes = 8
	var refs []delivery.LaneRef
	for i := range lanes {
		e := f.endpoint(fmt.Sprintf("tenant-%d", i), 3)
		refs = append(refs, delivery.LaneRef{Shard: e.ID.Shard(), EndpointID: e.ID})
		f.publishMany(e.Tenant, 3)
	}
	claims := f.claim(3 * lanes)
	require.Len(t, claims, 3*lanes)                                              // the first of each, then the second of each, …
	f.exec(`UPDATE malote.lanes SET ready_at = 'infinity', parked_full = false`) // so that the waker wants them all
	var processes []*store.Store
	for range 4 {
		s, err := store.Open(t.Context(), store.Options{DSN: f.dsn, HotConnections: 1, Connections: 1})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		processes = append(processes, s)
	}
	complete := func(s *store.Store, batch []*delivery.Claim) error {
		done := make([]policy.Completion, len(batch))
		for i, c := range batch {
			done[i] = f.completion(c, delivery.Outcome{Status: 200, StartedAt: c.ClaimedAt})
		}
		_, err := s.Complete(t.Context(), done)
		return err
	}
	holder, err := f.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = holder.Exec(t.Context(), `SELECT FROM malote.lanes ORDER BY shard DESC, endpoint_id DESC LIMIT 1 FOR UPDATE`)
	require.NoError(t, err)
	var group errgroup.Group
	for i, order := range []func([]*delivery.Claim){
		func([]*delivery.Claim) {}, slices.Reverse[[]*delivery.Claim], func(c []*delivery.Claim) { c[0], c[lanes-1] = c[lanes-1], c[0] },
	} {
		batch := slices.Clone(claims[i*lanes : (i+1)*lanes])
		order(batch)
		group.Go(func() error { return complete(processes[i], batch) })
	}
	group.Go(func() error {
		slices.Reverse(refs)
		_, err := processes[3].WakeLanes(t.Context(), refs)
		return err
	})
	f.eventuallyWaiting(4)
	require.NoError(t, holder.Rollback(t.Context()))
	require.NoError(t, group.Wait())
	for _, s := range processes {
		f.reportDeadlocks(s)
	}
	require.Zero(t, f.deadlocks())
	require.Equal(t, map[string]int{"delivered": 3 * lanes}, f.states())
}

// A completer that puts deliveries of entities back and a publisher that brings
// newer ones meet in one order too (I8).
func TestI8_RetriesAndPublishesOfTheSameEntitiesDoNotDeadlock(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	const rounds, entities = 4, 12
	e := f.endpoint("acme", entities)
	key := func(round, i int) func(*delivery.Draft) { return coalesced(fmt.Sprintf("%d-%02d", round, i)) }
	for round := range rounds {
		var old, newer []*delivery.Draft
		for i := range entities {
			old, newer = append(old, draft("acme", "old", key(round, i))), append(newer, draft("acme", "new", key(round, i)))
		}
		f.publish(old...)
		claims := f.claim(entities)
		require.Len(t, claims, entities)
		slices.SortFunc(claims, func(a, b *delivery.Claim) int { // the completer's batch has them the other way round
			return strings.Compare(b.Event.CoalesceKey, a.Event.CoalesceKey)
		})
		holder, err := f.store.Pool().Begin(t.Context())
		require.NoError(t, err)
		_, err = holder.Exec(t.Context(), `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger,
			next_attempt_at, cycle_started_at, coalesce_key) VALUES ($1, $2, $2, $2, 'acme', 'pending', 'schedule', now(), now(), $3)`,
			e.ID.Shard(), e.ID, fmt.Sprintf("%d-%02d", round, 0))
		require.NoError(t, err)
		var group errgroup.Group
		group.Go(func() error {
			done := make([]policy.Completion, len(claims))
			for i, c := range claims {
				done[i] = f.completion(c, delivery.Outcome{Status: 500, StartedAt: c.ClaimedAt})
			}
			_, err := f.store.Complete(t.Context(), done)
			return err
		})
		group.Go(func() error {
			_, err := f.publishOn(t.Context(), f.store, newer...)
			return err
		})
		f.eventuallyWaiting(2)
		require.NoError(t, holder.Rollback(t.Context()))
		require.NoError(t, group.Wait())
		f.pass(time.Hour)
		fresh := f.claim(2 * entities)
		require.Len(t, fresh, entities)
		for _, c := range fresh {
			require.Equal(t, "new", string(c.Event.Body))
		}
		f.answer(200, fresh...)
	}
	f.reportDeadlocks(f.store)
	require.Zero(t, f.deadlocks())
	require.Equal(t, map[string]int{"delivered": rounds * entities, "superseded": rounds * entities}, f.states())
}

// What a hostile endpoint answers is recorded, whatever bytes it is made of.
func TestComplete_RecordsAnyBytes(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 1)
	c := f.claim(1)[0]
	response := []byte{0, 0xff, 0xfe, '\'', '"', 0xc3, 0x28, 0}
	outcome := delivery.Outcome{Status: 999, Error: delivery.Protocol, ErrorText: "\x00 bad \xff\xfe' \U0001F9F5", Response: response,
		StartedAt: c.ClaimedAt, Duration: 24 * time.Hour}
	_, err := f.store.Complete(t.Context(), []policy.Completion{f.completion(c, outcome)})
	require.NoError(t, err)
	require.Equal(t, response, scalar[[]byte](f, `SELECT response FROM malote.attempts`))
	require.Equal(t, "\uFFFD bad \uFFFD' \U0001F9F5", scalar[string](f, `SELECT error FROM malote.attempts`))
	require.Equal(t, 1, scalar[int](f, `SELECT le_inf::int FROM malote.lane_stats`))
}

// One batch may hold several outcomes of one lane: all are counted.
func TestComplete_CountsEveryOutcomeOfABatch(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 8)
	f.endpoint("bolt", 8)
	f.publishMany("acme", 6)
	f.publishMany("bolt", 2)
	claims := f.claim(20)
	require.Len(t, claims, 8)
	done := make([]policy.Completion, len(claims))
	for i, c := range claims {
		status := 500
		if c.Event.Tenant == "bolt" {
			status = 200
		}
		done[i] = f.completion(c, delivery.Outcome{Status: status, StartedAt: c.ClaimedAt, Duration: 30 * time.Millisecond})
	}
	result, err := f.store.Complete(t.Context(), done)
	require.NoError(t, err)
	require.Equal(t, map[delivery.State]int{delivery.Delivered: 2, delivery.Pending: 6}, result.States)
	require.Equal(t, 6, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes WHERE tenant = 'acme'`))
	require.Equal(t, "0 6 180 6", scalar[string](f, `SELECT concat_ws(' ', ok, failed, total_ms, le_50) FROM malote.lane_stats s
		JOIN malote.lanes l ON l.shard = s.shard AND l.endpoint_id = s.endpoint_id WHERE l.tenant = 'acme'`))
	require.Equal(t, 8, scalar[int](f, `SELECT count(*)::int FROM malote.attempts`))
}

package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func TestGateway_G01_TwentyFourAtOnceAreOneEvent(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	var processes []*store.Store
	for range 2 {
		s, err := store.Open(t.Context(), store.Options{DSN: f.dsn, HotConnections: 12, Connections: 1})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		processes = append(processes, s)
	}
	start := make(chan struct{})
	var mu sync.Mutex
	var all []delivery.Published
	group, ctx := errgroup.WithContext(t.Context())
	for i := range 24 {
		group.Go(func() error {
			d := draft("acme", "the same", withKey("k"))
			<-start
			published, err := f.publishOn(ctx, processes[i%2], d)
			mu.Lock()
			all = append(all, published...)
			mu.Unlock()
			return err
		})
	}
	close(start)
	require.NoError(t, group.Wait())
	winners := 0
	for _, p := range all {
		require.NoError(t, p.Err)
		require.Equal(t, all[0].ID, p.ID)
		if !p.Duplicate {
			winners++
		}
	}
	require.Len(t, all, 24)
	require.Equal(t, 1, winners, "23 duplicates")
	require.Equal(t, map[string]int{"pending": 1}, f.states())
	require.Equal(t, all[0].ID, scalar[delivery.ID](f, `SELECT id FROM malote.events`))
}

// Whatever is published with whatever keys, however it is batched and however
// many do so: one event per key, all units whole, and a refusal only where the
// key stands for another request.
func TestPublish_AnyBatchesOfAnyKeys(t *testing.T) {
	f := newFixture(t)
	second := pgtest.OpenDSN(t, f.dsn)
	checks := 0
	rapid.Check(t, func(t *rapid.T) {
		checks++
		tenant := fmt.Sprintf("tenant-%d", checks)
		f.endpoint(tenant, 4)
		written := rapid.Custom(func(t *rapid.T) *delivery.Draft {
			key := rapid.SampledFrom([]string{"", "", "k", "l", "m"}).Draw(t, "key")
			return draft(tenant, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "request"), withKey(key))
		})
		batches := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(written, 1, 3), 1, 5), 2, 3).Draw(t, "batches")
		results := make([][]delivery.Published, len(batches))
		drafts := make([][]*delivery.Draft, len(batches))
		var group errgroup.Group
		for i, units := range batches {
			for number, unit := range units {
				for _, d := range unit {
					d.Unit = number
					drafts[i] = append(drafts[i], d)
				}
			}
			group.Go(func() (err error) {
				results[i], _, err = []*store.Store{f.store, second}[i%2].Publish(context.Background(), drafts[i], toAll)
				return err
			})
		}
		require.NoError(t, group.Wait())
		checkKeys(t, slices.Concat(drafts...), slices.Concat(results...))
		for i := range batches {
			checkUnits(t, drafts[i], results[i])
		}
		events := 0
		for _, p := range slices.Concat(results...) {
			if p.Err == nil && !p.Duplicate {
				events++
			}
		}
		require.Equal(t, events, scalar[int](f, `SELECT count(*)::int FROM malote.events WHERE tenant = $1`, tenant))
		require.Equal(t, events, scalar[int](f, `SELECT count(*)::int FROM malote.queue WHERE tenant = $1`, tenant))
	})
}

// checkKeys: of all drafts with a key that were accepted, one is the first and
// all are its event; they said the same.
func checkKeys(t require.TestingT, drafts []*delivery.Draft, results []delivery.Published) {
	firsts := make(map[string]int)
	for i, d := range drafts {
		if key := d.Event.IdempotencyKey; key != "" && results[i].Err == nil && !results[i].Duplicate {
			_, known := firsts[key]
			require.False(t, known, "two firsts with the key %q", key)
			firsts[key] = i
		}
	}
	for i, d := range drafts {
		winner, known := firsts[d.Event.IdempotencyKey]
		switch {
		case results[i].Err != nil || d.Event.IdempotencyKey == "":
		case !known:
			require.Fail(t, "accepted, but nobody was the first", "key %q", d.Event.IdempotencyKey)
		default:
			require.Equal(t, results[winner].ID, results[i].ID)
			require.Equal(t, drafts[winner].Fingerprint, d.Fingerprint)
		}
	}
}

// checkUnits: all or none, and none only because the key of one, which is told
// apart, stands for another request, of the unit itself or of somebody else.
func checkUnits(t require.TestingT, drafts []*delivery.Draft, results []delivery.Published) {
	refusals, culprits, sizes := make(map[int]int), make(map[int]int), make(map[int]int)
	for i, d := range drafts {
		sizes[d.Unit]++
		if results[i].Err != nil {
			refusals[d.Unit]++
			if !errors.Is(results[i].Err, delivery.ErrUnitRefused) {
				require.ErrorIs(t, results[i].Err, delivery.ErrKeyReused)
				culprits[d.Unit]++
			}
		}
	}
	for unit, n := range refusals {
		require.Equal(t, sizes[unit], n, "unit %d was torn apart", unit)
		require.Equal(t, 1, culprits[unit], "unit %d", unit)
	}
}

// Two publishers whose batches bring the same new entities must not wait for
// each other in a circle (I8). A third holds them up at the first entity, so that
// each would have got somewhere if they went in different orders.
func TestI8_BatchesOfTheSameEntitiesDoNotDeadlock(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	const rounds, entities = 6, 30
	var publishers []*store.Store
	for range 2 {
		publisher, err := store.Open(t.Context(), store.Options{DSN: f.dsn, HotConnections: 1, Connections: 1})
		require.NoError(t, err)
		publishers = append(publishers, publisher)
	}
	for round := range rounds {
		holder, err := f.store.Pool().Begin(t.Context())
		require.NoError(t, err)
		_, err = holder.Exec(t.Context(), `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger,
			next_attempt_at, cycle_started_at, coalesce_key) VALUES ($1, $2, $2, $2, 'acme', 'pending', 'schedule', now(), now(), $3)`,
			e.ID.Shard(), e.ID, fmt.Sprintf("%d-10", round))
		require.NoError(t, err)
		group, ctx := errgroup.WithContext(t.Context())
		for _, publisher := range publishers {
			drafts := make([]*delivery.Draft, entities)
			for i := range drafts {
				drafts[i] = draft("acme", "x", coalesced(fmt.Sprintf("%d-%d", round, 10+i)))
			}
			rand.Shuffle(entities, func(i, j int) { drafts[i], drafts[j] = drafts[j], drafts[i] })
			group.Go(func() error {
				_, err := f.publishOn(ctx, publisher, drafts...)
				return err
			})
		}
		f.eventuallyWaiting(2)
		require.NoError(t, holder.Rollback(t.Context()))
		require.NoError(t, group.Wait())
	}
	for _, publisher := range publishers {
		f.reportDeadlocks(publisher)
	}
	require.Zero(t, f.deadlocks())
	require.Equal(t, map[string]int{"pending": rounds * entities, "superseded": rounds * entities}, f.states())
}

// Whether a failed commit took place is unknown: its lanes are to be looked at.
func TestI4_LanesAreNamedEvenWhereTheCommitFailed(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	f.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END'`)
	f.exec(`CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON malote.queue DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	_, lanes, err := f.store.Publish(t.Context(), []*delivery.Draft{draft("acme", "1")}, toAll)
	require.ErrorContains(t, err, "broken")
	require.Equal(t, []delivery.LaneRef{{Shard: e.ID.Shard(), EndpointID: e.ID}}, lanes)
	require.Empty(t, f.states())
}

// TestGateway_G02_AllOrNothing: whatever cannot be written, nothing is.
func TestGateway_G02_AllOrNothing(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publish(draft("acme", "old", coalesced("k"))) // to be replaced
	f.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END'`)
	const counts = `SELECT concat_ws(' ', (SELECT count(*) FROM malote.events), (SELECT count(*) FROM malote.event_renderings),
		(SELECT count(*) FROM malote.event_keys), (SELECT count(*) FROM malote.queue), (SELECT count(*) FROM malote.deliveries))`
	before := scalar[string](f, counts)
	everywhere := func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
		plan, err := toAll(d, endpoints)
		plan.Bodies = append(plan.Bodies, []byte("another envelope"))
		plan.Deliveries = append(plan.Deliveries, delivery.Planned{State: delivery.Skipped, Reason: delivery.NoEndpoint})
		return plan, err
	}
	for _, table := range []string{"events", "event_renderings", "event_keys", "queue", "deliveries"} {
		f.exec(`CREATE TRIGGER broken BEFORE INSERT ON malote.` + table + ` FOR EACH ROW EXECUTE FUNCTION fail()`)
		drafts := []*delivery.Draft{draft("acme", "1", withKey("key")), draft("acme", "2", coalesced("k"))}
		_, _, err := f.store.Publish(t.Context(), drafts, everywhere)
		require.ErrorContains(t, err, "broken", table)
		require.Equal(t, before, scalar[string](f, counts), table)
		f.exec(`DROP TRIGGER broken ON malote.` + table)
	}
	_, _, err := f.store.Publish(t.Context(), []*delivery.Draft{draft("acme", "1", withKey("key"))}, everywhere)
	require.NoError(t, err, "and the key is free")
}

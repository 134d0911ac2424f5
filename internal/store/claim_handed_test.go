package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// unwoken commits drafts and returns the lanes that nobody was told of.
func (f *fixture) unwoken(drafts ...*delivery.Draft) []delivery.LaneRef {
	f.Helper()
	for i, d := range drafts {
		d.Unit = i
	}
	_, lanes, err := f.store.Publish(f.Context(), drafts, toAll)
	require.NoError(f, err)
	return lanes
}

func (f *fixture) claimHanded(n int, lanes []delivery.LaneRef) delivery.Claimed {
	f.Helper()
	claimed, err := f.store.ClaimHanded(f.Context(), n, wholeRoom, lanes)
	require.NoError(f, err)
	return claimed
}

var wholeRoom = delivery.Room{Suspects: 100, Slow: 100}

func TestClaimHanded_TakesFromAParkedLaneAndLeavesItAsItIs(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	lanes := f.unwoken(draft("acme", "1"), draft("acme", "2"))
	require.Empty(t, f.claim(10), "nobody woke the lane")

	version := func() string { return scalar[string](f, `SELECT ctid::text FROM malote.lanes`) }
	before := version()
	claimed := f.claimHanded(10, lanes)
	require.Len(t, claimed.Claims, 2)
	require.Empty(t, claimed.Untaken)
	require.Equal(t, before, version(), "the lane was written")

	// What comes now finds it parked, and wakes it.
	f.publish(draft("acme", "3"))
	require.Len(t, f.claim(10), 1)
}

func TestClaimHanded_WhatItLeavesStandsInLine(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	lanes := f.unwoken(draft("acme", "1"), draft("acme", "2"), draft("acme", "3"))
	require.Len(t, f.claimHanded(1, lanes).Claims, 1)
	require.Len(t, f.claim(1), 1, "nobody was short of anything but slots")
	require.Len(t, f.claim(10), 1)
}

// What is left in line is for others, too, and they are told.
func TestClaimHanded_OthersHearOfWhatItLeaves(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	heard, _ := listen(t.Context(), pgtest.OpenDSN(t, f.dsn))
	within(t, heard, "it begins")
	lanes := f.unwoken(draft("acme", "1"), draft("acme", "2"))
	require.Len(t, f.claimHanded(1, lanes).Claims, 1)
	within(t, heard, "there is one left, and slots elsewhere")

	require.Len(t, f.claim(1), 1)
	f.claimHanded(1, f.unwoken(draft("acme", "3")))
	require.Empty(t, heard, "nothing is left")
}

// A lane that was handed over comes after all that stand in line already.
func TestFairQueue_F04_I2_WhoIsHandedOverStandsLast(t *testing.T) {
	f := newFixture(t)
	first, second := f.endpoint("first", 4), f.endpoint("second", 4)
	handed := f.unwoken(draft("second", "1"))
	f.publishMany("first", 2)
	claims := f.claimHanded(2, handed).Claims
	require.Len(t, claims, 2)
	require.Equal(t, first.ID, claims[0].Endpoint.ID)
	require.Equal(t, second.ID, claims[1].Endpoint.ID)
}

func TestFairQueue_F03_I1_AHandedLaneIsNotOverItsLimit(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 2)
	lanes := f.unwoken(draft("acme", "1"), draft("acme", "2"), draft("acme", "3"))
	first := f.claimHanded(10, lanes)
	require.Len(t, first.Claims, 2)
	require.Equal(t, lanes, first.Full, "left full")
	again := f.claimHanded(10, lanes)
	require.Empty(t, again.Claims)
	require.Equal(t, lanes, again.Full, "seen full")
	require.Empty(t, again.Untaken, "waking it would change nothing")
	f.answer(200, first.Claims...)
	require.Len(t, f.claim(10), 1, "the end of an attempt wakes a full lane")
}

// What must be woken is returned, and only that: another look at the rest is nothing
// but a cost for others.
func TestClaimHanded_ReturnsWhatItMayNotTakeFrom(t *testing.T) {
	for name, lane := range map[string]struct {
		change  string
		isWoken bool
	}{
		"paused by hand":          {`status = 'paused'`, false},
		"disabled":                {`status = 'disabled_by_system', disabled_at = now()`, false},
		"circuit open":            {`paused_until = now() + interval '1 minute'`, true},
		"circuit open, and woken": {`paused_until = now() + interval '1 minute', ready_at = now() + interval '1 minute'`, false},
		"over its rate":           {`rate_limit = 1, rate_burst = 1, rate_ready_at = now() + interval '1 minute'`, true},
		"without room":            {`standing = 'slow'`, true},
		"in line, and hanging":    {`ready_at = now()`, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			e := f.endpoint("acme", 4)
			lanes := f.unwoken(draft("acme", "1"))
			f.exec(`UPDATE malote.lanes SET ` + lane.change)
			room := delivery.Room{Suspects: 1}
			if name == "in line, and hanging" {
				room.Hanging = []delivery.ID{e.ID}
			}
			claimed, err := f.store.ClaimHanded(t.Context(), 10, room, lanes)
			require.NoError(t, err)
			require.Empty(t, claimed.Claims)
			require.Empty(t, claimed.Full)
			woken, err := f.store.WakeLanes(t.Context(), lanes)
			require.NoError(t, err)
			require.Equal(t, lane.isWoken, woken > 0)
			if lane.isWoken {
				require.Equal(t, lanes, claimed.Untaken)
			} else {
				require.Empty(t, claimed.Untaken)
			}
		})
	}
}

// A lane that is locked and then has no room in the claim is like one that is not.
func TestClaimHanded_ReturnsWhatItHasNoRoomFor(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.endpoint("other", 4)
	lanes := f.unwoken(draft("acme", "1"), draft("other", "1"))
	claimed := f.claimHanded(1, lanes)
	require.Len(t, claimed.Claims, 1)
	require.Len(t, claimed.Lanes, 1)
	require.Len(t, claimed.Untaken, 1)
	require.ElementsMatch(t, lanes, slices.Concat(claimed.Lanes, claimed.Untaken))
}

// The second look at what a claim parked is made by somebody else, if it fails.
func TestI4_AClaimThatCannotLookAgainSaysSo(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	lanes := f.unwoken(draft("acme", "1"))
	_, err := f.store.WakeLanes(t.Context(), lanes)
	require.NoError(t, err)
	f.exec(`ALTER TABLE malote.events RENAME TO elsewhere`)
	claimed, err := pgtest.OpenDSN(t, f.dsn).ClaimHanded(t.Context(), 10, wholeRoom, nil)
	require.Error(t, err)
	require.Len(t, claimed.Claims, 1, "it is committed")
	require.Equal(t, lanes, claimed.Untaken)
}

func TestClaimHanded_DoesNotWaitForWhoHoldsALane(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.endpoint("other", 4)
	lanes := f.unwoken(draft("acme", "1"), draft("other", "1"))
	tx, err := f.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.Background()) //nolint:errcheck // the test is over
	_, err = tx.Exec(t.Context(), `SELECT FROM malote.lanes WHERE tenant = 'acme' FOR UPDATE`)
	require.NoError(t, err)
	claimed := f.claimHanded(10, lanes)
	require.Len(t, claimed.Claims, 1)
	require.Len(t, claimed.Untaken, 1)
	require.Equal(t, delivery.ShardOf("acme"), claimed.Untaken[0].Shard)
}

// Publishers of which each hands lanes to a claimer of its own, and wakes only what
// that could not look at, beside workers who only claim: nothing is stranded, with no
// sweep and no clock to help.
func TestI4_NoLostHandover(t *testing.T) {
	f := newFixture(t)
	const lanes, publishers, each, workers = 3, 4, 60, 2
	tenants := make([]string, lanes)
	for i := range lanes {
		tenants[i] = fmt.Sprintf("tenant-%d", i)
		f.endpoint(tenants[i], 2)
	}
	deadline, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var delivered, handed atomic.Int64
	group, ctx := errgroup.WithContext(deadline)
	work := func(s *store.Store, refs []delivery.LaneRef) (delivery.Claimed, error) {
		claimed, err := s.ClaimHanded(ctx, 2, wholeRoom, refs)
		if err != nil || len(claimed.Claims) == 0 {
			return claimed, err
		}
		var done []policy.Completion
		for _, c := range claimed.Claims {
			done = append(done, f.completion(c, delivery.Outcome{Status: 204, StartedAt: c.ClaimedAt}))
		}
		result, err := s.Complete(ctx, done)
		delivered.Add(int64(result.States[delivery.Delivered]))
		return claimed, err
	}
	for p := range publishers {
		publisher := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			for i := range each {
				_, refs, err := publisher.Publish(ctx, []*delivery.Draft{draft(tenants[(p+i)%lanes], fmt.Sprintf("%d-%d", p, i))}, toAll)
				if err != nil {
					return err
				}
				claimed, err := work(publisher, refs)
				if err != nil {
					return err
				}
				handed.Add(int64(len(refs) - len(claimed.Untaken)))
				if _, err := publisher.WakeLanes(ctx, claimed.Untaken); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for range workers {
		worker := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			for delivered.Load() < publishers*each {
				if _, err := work(worker, nil); err != nil {
					return fmt.Errorf("%w (%d delivered)", err, delivered.Load())
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	require.NotZero(t, handed.Load(), "no lane was ever taken by handing it over")
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded)
}

// What a claim remembers of a publish is what it would have read.
func TestClaim_RemembersWhatItWouldRead(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 1)
	f.endpoint("acme", 1)
	oddly := func(d *delivery.Draft) {
		d.Event.Headers = []delivery.Header{{Name: "X-Github-Event", Value: "pu\x00sh"}, {Name: "X-Two", Value: "\xff"}}
		d.Event.OccurredAt = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))
		d.Event.SourceID = d.Event.ID
		d.Event.TraceParent, d.Event.ExternalID, d.Event.EntityVersion = "00-1-2-01", "x", "7"
	}
	twice := func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
		plan, err := toAll(d, endpoints)
		plan.Bodies = append(plan.Bodies, []byte(`{"another":"envelope"}`))
		plan.Deliveries[1].Rendering = 1
		return plan, err
	}
	plain, odd, keyed := draft("acme", "1"), draft("acme", `{"a":1.0}`, oddly), draft("acme", "3", coalesced("c"), withKey("k"))
	for i, d := range []*delivery.Draft{plain, odd, keyed} {
		d.Unit = i
	}
	_, lanes, err := f.store.Publish(t.Context(), []*delivery.Draft{plain, odd, keyed}, twice)
	require.NoError(t, err)
	stranger := pgtest.OpenDSN(t, f.dsn)
	remembered, read := f.takeAll(f.store, lanes), f.takeAll(stranger, lanes)
	require.Len(t, remembered, 6)
	require.Equal(t, read, remembered)
}

// takeAll claims all events, by delivery, and hands them back.
func (f *fixture) takeAll(s *store.Store, lanes []delivery.LaneRef) map[delivery.ID]delivery.Event {
	f.Helper()
	events := make(map[delivery.ID]delivery.Event)
	f.exec(`UPDATE malote.lanes SET claim_limit = 10, max_in_flight = 10`)
	_, err := s.WakeLanes(f.Context(), lanes)
	require.NoError(f, err)
	claimed, err := s.Claim(f.Context(), 10)
	require.NoError(f, err)
	for _, c := range claimed.Claims {
		event := c.Event
		event.OccurredAt, event.AcceptedAt = event.OccurredAt.UTC(), event.AcceptedAt.UTC()
		events[c.DeliveryID] = event
	}
	f.handBack(claimed.Claims...)
	return events
}

package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// order makes an endpoint's lane strictly ordered, as the registry does.
func (f *fixture) order(e *delivery.Endpoint) {
	f.Helper()
	f.exec(`UPDATE malote.lanes SET fifo_since = now() WHERE shard = $1 AND endpoint_id = $2`, e.ID.Shard(), e.ID)
	f.exec(`UPDATE malote.tenants SET endpoints_version = endpoints_version + 1 WHERE shard = $1 AND id = $2`, e.ID.Shard(), e.Tenant)
}

func (f *fixture) retryNow() {
	f.Helper()
	f.exec(`UPDATE malote.queue SET next_attempt_at = now() WHERE status = 'pending'`)
	f.exec(`UPDATE malote.lanes SET ready_at = now() WHERE NOT parked_full`)
}

func bodies(claims []*delivery.Claim) []string {
	list := make([]string, len(claims))
	for i, c := range claims {
		list[i] = string(c.Event.Body)
	}
	return list
}

func TestFIFO_AFailingHeadHoldsTheRest(t *testing.T) {
	f := newFixture(t)
	f.order(f.endpoint("acme", 4))
	f.publish(draft("acme", "1"), draft("acme", "2"), draft("acme", "3"))
	head := f.claim(10)
	require.Equal(t, []string{"1"}, bodies(head), "one in flight, whatever max_in_flight says")
	require.Empty(t, f.claim(10))

	f.answer(500, head...)
	waiting, err := f.store.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, waiting.Claims, "the second is due, but the head is not")
	f.publish(draft("acme", "4"))
	waiting, err = f.store.Claim(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, waiting.Claims)
	require.Greater(t, waiting.NextDue, 10*time.Second, "nobody looks before the head is due: F07 waits 15 s at least")
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded, "waiting for the head is no stranding")

	for _, want := range []string{"1", "2", "3", "4"} {
		f.retryNow()
		claims := f.claim(10)
		require.Equal(t, []string{want}, bodies(claims))
		f.answer(200, claims...)
	}
}

func TestFIFO_ADeadHeadLetsTheRestGo(t *testing.T) {
	f := newFixture(t)
	f.order(f.endpoint("acme", 4))
	f.publish(draft("acme", "1"), draft("acme", "2"))
	f.answer(413, f.claim(10)...)
	require.Equal(t, []string{"2"}, bodies(f.claim(10)))
}

// What an unlucky publisher commits without a place, while the lane becomes
// strictly ordered, is placed before all that was published after it.
func TestFIFO_TheSweepPlacesWhatCameWithoutAPlace(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	f.publish(draft("acme", "1"))
	f.publish(draft("acme", "2"))
	f.order(e)
	f.publish(draft("acme", "3"))
	for _, claims := range [][]*delivery.Claim{f.claim(10)} { // the claim places what it finds
		require.Equal(t, []string{"1"}, bodies(claims))
		f.handBack(claims...)
	}
	f.exec(`UPDATE malote.queue SET fifo_position = NULL WHERE fifo_position < 0`)
	f.exec(`UPDATE malote.lanes SET fifo_since = now() - interval '10 minutes'`)
	_, err := f.store.Sweep(t.Context()) // and the sweep, where no claim came by in time
	require.NoError(t, err)
	for _, want := range []string{"1", "2", "3"} {
		claims := f.claim(10)
		require.Equal(t, []string{want}, bodies(claims))
		f.answer(200, claims...)
	}
}

func TestFIFO_AStrandedHeadIsFound(t *testing.T) {
	f := newFixture(t)
	f.order(f.endpoint("acme", 4))
	f.publish(draft("acme", "1"), draft("acme", "2"))
	f.exec(`UPDATE malote.lanes SET ready_at = 'infinity'`)
	f.exec(`UPDATE malote.queue SET next_attempt_at = now() - interval '1 minute'`)
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, stranded)
	require.Equal(t, []string{"1"}, bodies(f.claim(10)))
	stranded, err = f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded, "one in flight is all that it may have")
}

func TestFIFO_ATestGoesFirst(t *testing.T) {
	f := newFixture(t)
	f.order(f.endpoint("acme", 4))
	f.publish(draft("acme", "1"))
	_, lanes, err := f.store.Publish(t.Context(), []*delivery.Draft{draft("acme", "test")},
		func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
			plan, err := toAll(d, endpoints)
			plan.Deliveries[0].Delay, plan.Deliveries[0].Trigger = -time.Hour, delivery.TriggerTest
			return plan, err
		})
	require.NoError(t, err)
	_, err = f.store.WakeLanes(t.Context(), lanes)
	require.NoError(t, err)
	require.Equal(t, []string{"test"}, bodies(f.claim(10)))
}

// TestFIFO_WhateverHappens: of any mixture of publishes (with entities, too),
// claims by two processes, successes and failures, the endpoint sees the events
// in their order, each again and again until it is delivered or replaced.
func TestFIFO_WhateverHappens(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	f.order(f.endpoint("acme", 4))
	workers := f.processes(2)
	rapid.Check(t, func(t *rapid.T) {
		f.exec(`DELETE FROM malote.queue`)
		f.exec(`UPDATE malote.lanes SET parked_full = false, ready_at = 'infinity'`)
		published, last, held := 0, -1, []*delivery.Claim(nil)
		t.Repeat(map[string]func(*rapid.T){
			"publish": func(t *rapid.T) {
				var drafts []*delivery.Draft
				for range rapid.IntRange(1, 3).Draw(t, "drafts") {
					d := draft("acme", fmt.Sprint(published))
					d.Event.CoalesceKey = rapid.SampledFrom([]string{"", "", "b", "a"}).Draw(t, "entity")
					drafts = append(drafts, d)
					published++
				}
				f.publish(drafts...)
			},
			"claim": func(t *rapid.T) {
				f.retryNow()
				claimed, err := workers[rapid.IntRange(0, 1).Draw(t, "worker")].Claim(f.Context(), 10)
				require.NoError(t, err)
				if len(held) > 0 {
					require.Empty(t, claimed.Claims, "one in flight")
				}
				for _, c := range claimed.Claims {
					var n int
					_, err := fmt.Sscan(string(c.Event.Body), &n)
					require.NoError(t, err)
					require.GreaterOrEqual(t, n, last, "out of order")
					last = n
				}
				held = append(held, claimed.Claims...)
				require.LessOrEqual(t, len(held), 1)
			},
			"answer": func(t *rapid.T) {
				f.answer(rapid.SampledFrom([]int{200, 500}).Draw(t, "status"), held...)
				held = nil
			},
			"": func(*rapid.T) {},
		})
		f.answer(200, held...)
	})
}

package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store/pgtest"
)

func (f *fixture) setStanding(e *delivery.Endpoint, standing delivery.Standing) {
	f.Helper()
	f.exec(`UPDATE malote.lanes SET standing = $3 WHERE shard = $1 AND endpoint_id = $2`, e.ID.Shard(), e.ID, standing)
}

func (f *fixture) standing(e *delivery.Endpoint) delivery.Standing {
	f.Helper()
	return scalar[delivery.Standing](f, `SELECT standing FROM malote.lanes WHERE shard = $1 AND endpoint_id = $2`, e.ID.Shard(), e.ID)
}

func (f *fixture) claimWithin(n int, room delivery.Room) delivery.Claimed {
	f.Helper()
	claimed, err := f.store.ClaimWithin(f.Context(), n, room)
	require.NoError(f, err)
	return claimed
}

// sent completes a claim with an outcome.
func (f *fixture) sent(c *delivery.Claim, outcome delivery.Outcome) {
	f.Helper()
	outcome.StartedAt = c.ClaimedAt
	_, err := f.store.Complete(f.Context(), []policy.Completion{f.completion(c, outcome)})
	require.NoError(f, err)
}

// One delivery finds out what a new endpoint is like, however many processes
// claim; with its answer the endpoint has all that it may.
func TestClaim_OneInFlightUntilTheFirstAnswer(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	f.setStanding(e, delivery.Unheard)
	f.publishMany("acme", 20)
	var mu sync.Mutex
	var claims []*delivery.Claim
	group, ctx := errgroup.WithContext(t.Context())
	for range 2 {
		worker := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			for range 5 {
				claimed, err := worker.Claim(ctx, 10)
				if err != nil {
					return err
				}
				mu.Lock()
				claims = append(claims, claimed.Claims...)
				mu.Unlock()
				// As if a publisher had found the lane parked: it must not help.
				if _, err := worker.Pool().Exec(ctx, `UPDATE malote.lanes l SET ready_at = now(), parked_full = false WHERE l.endpoint_id = $1`, e.ID); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	require.Len(t, claims, 1)
	require.Equal(t, delivery.Unheard, claims[0].Standing)
	require.Empty(t, f.claim(10), "and the lane is parked as full")

	f.exec(`UPDATE malote.queue SET next_attempt_at = now() - interval '1 minute' WHERE status = 'pending'`)
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded, "which is no stranding")

	f.handBack(claims...)
	require.Len(t, f.claim(10), 1, "what was never sent was never answered")
	f.exec(`UPDATE malote.queue SET lease_until = now() - interval '1 second' WHERE status = 'sending'`)
	f.rescue()
	claims = f.claim(10)
	require.Len(t, claims, 1, "nor was what got lost")
	f.answer(200, claims...)
	require.Len(t, f.claim(10), 4)
}

func TestComplete_TellsTheStanding(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	for name, test := range map[string]struct {
		was     delivery.Standing
		outcome delivery.Outcome
		want    delivery.Standing
	}{
		"answers":                 {delivery.Unheard, delivery.Outcome{Status: 200, Duration: 900 * time.Millisecond}, delivery.Trusted},
		"refuses":                 {delivery.Unheard, delivery.Outcome{Status: 500, Duration: time.Millisecond}, delivery.Trusted},
		"is slow":                 {delivery.Unheard, delivery.Outcome{Status: 200, Duration: 1100 * time.Millisecond}, delivery.Slow},
		"does not answer":         {delivery.Trusted, delivery.Outcome{Error: delivery.Timeout, Duration: 5 * time.Second}, delivery.Slow},
		"recovers":                {delivery.Slow, delivery.Outcome{Status: 200, Duration: time.Millisecond}, delivery.Trusted},
		"was not waited for":      {delivery.Unheard, delivery.Outcome{Error: delivery.InterruptedSend, Duration: time.Millisecond}, delivery.Unheard},
		"was waited for too long": {delivery.Unheard, delivery.Outcome{Error: delivery.InterruptedSend, Duration: 2 * time.Second}, delivery.Slow},
	} {
		e := f.endpoint(name, 4)
		f.setStanding(e, test.was)
		f.publishMany(name, 1)
		claims := f.claim(10)
		require.Len(t, claims, 1)
		require.Equal(t, test.was, claims[0].Standing)
		f.sent(claims[0], test.outcome)
		require.Equal(t, test.want, f.standing(e), name)
		f.exec(`DELETE FROM malote.queue`)
	}
}

func TestClaimWithin_TakesNoMoreThanThereIsRoomFor(t *testing.T) {
	f := newFixture(t)
	endpoints := make(map[delivery.ID]*delivery.Endpoint)
	for _, standing := range []delivery.Standing{delivery.Slow, delivery.Unheard, delivery.Trusted} {
		for range 2 {
			e := f.endpoint(string(standing), 3)
			f.setStanding(e, standing)
			endpoints[e.ID] = e
		}
		f.publishMany(string(standing), 10)
	}
	claim := func(n int, room delivery.Room) map[string]int {
		t.Helper()
		claimed := f.claimWithin(n, room)
		counts := make(map[string]int)
		for _, c := range claimed.Claims {
			require.Equal(t, c.Event.Tenant, string(c.Standing))
			counts[c.Event.Tenant]++
		}
		f.handBack(claimed.Claims...)
		f.exec(`UPDATE malote.lanes SET ready_at = now() WHERE NOT parked_full`)
		return counts
	}
	require.Equal(t, map[string]int{"trusted": 6}, claim(20, delivery.Room{}))
	require.Equal(t, map[string]int{"trusted": 6, "unheard": 2}, claim(20, delivery.Room{Suspects: 9}))
	require.Equal(t, map[string]int{"trusted": 6, "unheard": 2, "slow": 3}, claim(20, delivery.Room{Suspects: 9, Slow: 3}))
	require.Equal(t, map[string]int{"trusted": 6, "unheard": 2, "slow": 6}, claim(20, delivery.Room{Suspects: 20, Slow: 20}))

	var trusted []delivery.ID
	for id, e := range endpoints {
		if e.Tenant == "trusted" {
			trusted = append(trusted, id)
		}
	}
	require.Equal(t, map[string]int{"trusted": 3, "unheard": 2}, claim(20, delivery.Room{Suspects: 9, Hanging: trusted[:1]}))
	require.Equal(t, map[string]int{"unheard": 2}, claim(20, delivery.Room{Suspects: 9, Hanging: trusted}))
	require.Empty(t, claim(20, delivery.Room{Hanging: trusted}))
	claimed := f.claimWithin(20, delivery.Room{Hanging: trusted})
	require.Equal(t, delivery.NothingDue, claimed.NextDue, "what is due and has no room is not waited for")
	require.False(t, claimed.More)
}

// roomLane is a lane as the model of a claim within a room knows it.
type roomLane struct {
	endpoint *delivery.Endpoint
	standing delivery.Standing
	limit    int
	sending  int
	due      int
}

func (l *roomLane) left() int {
	limit := l.limit
	if l.standing == delivery.Unheard {
		limit = min(limit, delivery.UnheardInFlight)
	}
	return max(0, min(limit-l.sending, l.due))
}

// TestClaimWithin_AnyRoom: of any lanes, and any room, claims take no more of any
// kind than there is room for, begin with whoever has waited longest of those that
// may be claimed from, and, one after another, leave nothing that there is room
// for; and they say truly whether another is worth it.
func TestClaimWithin_AnyRoom(t *testing.T) {
	f := newFixture(t)
	lanes := make([]*roomLane, 7)
	for i := range lanes {
		lanes[i] = &roomLane{endpoint: f.endpoint("acme", 9)}
	}
	f.publishMany("acme", 1)
	event := scalar[delivery.ID](f, `SELECT id FROM malote.events`)
	rapid.Check(t, func(t *rapid.T) {
		f.exec(`DELETE FROM malote.queue`)
		room := delivery.Room{Suspects: rapid.IntRange(0, 9).Draw(t, "suspects")}
		room.Slow = rapid.IntRange(0, room.Suspects).Draw(t, "slow")
		byID := make(map[delivery.ID]*roomLane)
		for i, l := range lanes {
			l.standing = rapid.SampledFrom([]delivery.Standing{delivery.Trusted, delivery.Unheard, delivery.Slow}).Draw(t, "standing")
			l.limit, l.sending = rapid.IntRange(1, 5).Draw(t, "limit"), rapid.IntRange(0, 2).Draw(t, "sending")
			l.due = rapid.IntRange(0, 6).Draw(t, "due")
			f.fill(event, &modelLane{id: l.endpoint.ID, sending: l.sending}, make([]int, l.due))
			f.exec(`UPDATE malote.lanes SET claim_limit = $3, standing = $4, parked_full = false, ready_at = now() - make_interval(secs => $5)
				WHERE shard = $1 AND endpoint_id = $2`, l.endpoint.ID.Shard(), l.endpoint.ID, l.limit, l.standing, len(lanes)-i)
			if rapid.IntRange(0, 3).Draw(t, "hangs") == 0 {
				room.Hanging = append(room.Hanging, l.endpoint.ID)
			}
			byID[l.endpoint.ID] = l
		}
		open := func() (all []*roomLane) {
			for _, l := range lanes {
				if l.left() > 0 && room.For(room.StandingOf(l.endpoint.ID, l.standing), 1) > 0 {
					all = append(all, l)
				}
			}
			return all
		}
		n := rapid.IntRange(1, 12).Draw(t, "n")
		for round := 0; ; round++ {
			require.Less(t, round, 50, "claims go on and on")
			before := open()
			claimed, err := f.store.ClaimWithin(f.Context(), n, room)
			require.NoError(t, err)
			for _, c := range claimed.Claims {
				l := byID[c.Endpoint.ID]
				require.Positive(t, l.left(), "over the limit")
				l.sending, l.due = l.sending+1, l.due-1
			}
			room = room.TakeAll(claimed.Claims)
			require.GreaterOrEqual(t, room.Suspects, 0)
			require.GreaterOrEqual(t, room.Slow, 0)
			if round == 0 && len(before) > 0 && before[0] == lanes[0] { // another may wait for one before it that turns out to have nothing
				require.Equal(t, lanes[0].endpoint.ID, claimed.Claims[0].Endpoint.ID, "whoever has waited longest")
			}
			if len(claimed.Claims) == n {
				continue
			}
			if claimed.NextDue == delivery.NothingDue && !claimed.More {
				require.Empty(t, open(), "something is left that there is room for")
				break
			}
			require.NotEmpty(t, claimed.Lanes, "every claim that is to be followed by another brings something or parks a lane")
		}
	})
}

// Of slow and unheard endpoints that wait for the same slots, neither starves: who
// has waited longest goes first.
func TestClaimWithin_SuspectsTakeTurns(t *testing.T) {
	f := newFixture(t)
	var order []string
	for i := range 3 {
		for _, standing := range []delivery.Standing{delivery.Slow, delivery.Unheard} {
			tenant := string(standing) + string(rune('a'+i))
			f.setStanding(f.endpoint(tenant, 4), standing)
			order = append(order, tenant)
		}
	}
	for _, tenant := range order {
		f.publishMany(tenant, 2)
	}
	var served []string
	for range order {
		claimed := f.claimWithin(5, delivery.Room{Suspects: 1, Slow: 1})
		require.Len(t, claimed.Claims, 1)
		served = append(served, claimed.Claims[0].Event.Tenant)
	}
	require.Equal(t, order, served)
}

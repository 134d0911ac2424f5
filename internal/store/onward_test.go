package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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

// goOn completes claims with a status and lets so many be claimed with it.
func (f *fixture) goOn(slots, status int, claims ...*delivery.Claim) policy.Completed {
	f.Helper()
	return f.goOnBut(policy.Onward{Slots: slots}, status, claims...)
}

func (f *fixture) goOnBut(onward policy.Onward, status int, claims ...*delivery.Claim) policy.Completed {
	f.Helper()
	var done []policy.Completion
	for _, c := range claims {
		done = append(done, f.completion(c, delivery.Outcome{Status: status, StartedAt: c.ClaimedAt, Duration: 7 * time.Millisecond}))
	}
	result, err := f.store.CompleteAndClaim(f.Context(), done, onward)
	require.NoError(f, err)
	require.NoError(f, result.NextErr)
	return result
}

// trusted is an endpoint that has answered in good time.
func (f *fixture) trusted(tenant string, maxInFlight int) *delivery.Endpoint {
	f.Helper()
	e := f.endpoint(tenant, maxInFlight)
	f.exec(`UPDATE malote.lanes l SET standing = 'trusted' WHERE l.shard = $1 AND l.endpoint_id = $2`, e.ID.Shard(), e.ID)
	return e
}

func TestOnward_TakesThePlaceOfWhatEnded(t *testing.T) {
	f := newFixture(t)
	e := f.trusted("acme", 2)
	f.publishMany("acme", 5)
	lane := []delivery.LaneRef{{Shard: e.ID.Shard(), EndpointID: e.ID}}
	fresh := pgtest.OpenDSN(t, f.dsn) // it remembers no events

	first := f.claim(10)
	require.Equal(t, []string{`{"n":0}`, `{"n":1}`}, bodies(first))
	second := f.goOn(10, 204, first...)
	require.Equal(t, []string{`{"n":2}`, `{"n":3}`}, bodies(second.Next.Claims))
	require.Equal(t, lane, second.Next.Full)
	require.Equal(t, lane, second.Next.Lanes)
	require.False(t, second.Woken, "it is as full as before: a claim would find nothing")
	require.Equal(t, map[string]int{"delivered": 2, "sending": 2, "pending": 1}, f.states())
	for _, c := range second.Next.Claims {
		require.Equal(t, []any{1, 1, delivery.Trusted, e.URL}, []any{c.Attempt, c.CycleAttempt, c.Standing, c.Endpoint.URL})
		require.Equal(t, time.Minute, c.LeaseUntil.Sub(c.ClaimedAt))
	}
	require.Empty(t, f.claim(10))

	var done []policy.Completion
	for _, c := range second.Next.Claims {
		done = append(done, f.completion(c, delivery.Outcome{Status: 204, StartedAt: c.ClaimedAt}))
	}
	third, err := fresh.CompleteAndClaim(t.Context(), done, policy.Onward{Slots: 10})
	require.NoError(t, err)
	require.Empty(t, third.Next.Claims, "whoever does not know the endpoint leaves it to a claim")
	require.True(t, third.Woken)
	last := f.claim(10)
	require.Equal(t, []string{`{"n":4}`}, bodies(last))
	require.False(t, f.goOn(10, 204, last...).Woken, "it was not full")

	f.publishMany("acme", 1)
	require.Len(t, f.claim(10), 1, "new work finds it where it should be")
}

// A claim that brings less than there is place for leaves the lane in line where more
// is due, and parked where not.
func TestOnward_LeavesTheLaneWhereItShouldBe(t *testing.T) {
	f := newFixture(t)
	e := f.trusted("acme", 2)
	f.publishMany("acme", 4)
	result := f.goOn(1, 204, f.claim(10)...)
	require.Len(t, result.Next.Claims, 1)
	require.Empty(t, result.Next.Full)
	require.True(t, result.Woken, "somebody else may claim the other")
	other := f.claim(10)
	require.Len(t, other, 1)

	result = f.goOn(10, 204, append(other, result.Next.Claims...)...)
	require.Empty(t, result.Next.Claims)
	require.True(t, result.Woken)
	require.Equal(t, "infinity", scalar[string](f, `SELECT ready_at::text FROM malote.lanes WHERE endpoint_id = $1`, e.ID))
	require.False(t, scalar[bool](f, `SELECT parked_full FROM malote.lanes WHERE endpoint_id = $1`, e.ID))
	require.Zero(t, f.states()["sending"])
}

// What fails waits for its retry, and the lane goes on with others.
func TestOnward_AfterFailures(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	e := f.trusted("acme", 2)
	f.publishMany("acme", 5)
	second := f.goOn(10, 500, f.claim(10)...)
	require.Equal(t, []string{`{"n":2}`, `{"n":3}`}, bodies(second.Next.Claims))
	require.False(t, second.Woken)
	third := f.goOn(10, 500, second.Next.Claims...)
	require.Equal(t, []string{`{"n":4}`}, bodies(third.Next.Claims))
	require.True(t, third.Woken, "the lane has work at another time than was known")
	require.Equal(t, map[string]int{"sending": 1, "pending": 4}, f.states())
	next := scalar[time.Time](f, `SELECT min(next_attempt_at) FROM malote.queue WHERE status = 'pending'`)
	require.Equal(t, next, scalar[time.Time](f, `SELECT ready_at FROM malote.lanes WHERE endpoint_id = $1`, e.ID))
}

// A strictly ordered lane keeps its order, and waits for a head that failed.
func TestOnward_InStrictOrder(t *testing.T) {
	f := newFixture(t)
	e := f.trusted("acme", 1)
	f.order(e)
	f.exec(`UPDATE malote.lanes SET fifo_since = now() - interval '1 hour' WHERE endpoint_id = $1`, e.ID)
	f.publishMany("acme", 5)
	claims := f.claim(10)
	for n := range 3 {
		require.Equal(t, []string{fmt.Sprintf(`{"n":%d}`, n)}, bodies(claims))
		claims = f.goOn(10, 204, claims...).Next.Claims
	}
	result := f.goOn(10, 500, claims...)
	require.Empty(t, result.Next.Claims)
	require.True(t, result.Woken)
	require.Empty(t, f.claim(10))
	f.retryNow()
	require.Equal(t, []string{`{"n":3}`}, bodies(f.claim(10)))
}

// One entity's deliveries go out one after another.
func TestOnward_OneOfAnEntityAtATime(t *testing.T) {
	f := newFixture(t)
	f.trusted("acme", 2)
	f.publish(draft("acme", "a1", coalesced("a")), draft("acme", "b1"))
	first := f.claim(10)
	require.Len(t, first, 2)
	f.publish(draft("acme", "a2", coalesced("a")), draft("acme", "b2"))
	ofA := slices.IndexFunc(first, func(c *delivery.Claim) bool { return c.Event.CoalesceKey == "a" })
	second := f.goOn(10, 204, first[1-ofA])
	require.Equal(t, []string{"b2"}, bodies(second.Next.Claims))
	third := f.goOn(10, 204, first[ofA])
	require.Equal(t, []string{"a2"}, bodies(third.Next.Claims))
}

// Whatever needs a claim's judgement stands in line.
func TestOnward_NotWhereAClaimMustJudge(t *testing.T) {
	f := newFixture(t)
	for name, x := range map[string]struct {
		once   bool   // it wants every event at most once
		change string // of the lane, while it is full
		slots  int
		except bool
		took   time.Duration
		status int
		inLine bool // after the completion
	}{
		"plain, to compare":      {change: `weight = 1`, slots: 9, status: 204},
		"no slots":               {change: `weight = 1`, status: 204, inLine: true},
		"excepted":               {change: `weight = 1`, slots: 9, except: true, status: 204, inLine: true},
		"at most once":           {once: true, change: `weight = 1`, slots: 9, status: 204, inLine: true},
		"slow":                   {change: `weight = 1`, slots: 9, status: 204, took: time.Minute, inLine: true},
		"a weight":               {change: `weight = 2, turn_left = 1`, slots: 9, status: 204, inLine: true},
		"a rate":                 {change: `rate_limit = 100, rate_burst = 9`, slots: 9, status: 204, inLine: true},
		"ordered a moment ago":   {change: `fifo_since = now()`, slots: 9, status: 204, inLine: true},
		"changed since":          {change: `config_version = config_version + 1`, slots: 9, status: 204, inLine: true},
		"paused by somebody":     {change: `status = 'paused'`, slots: 9, status: 204},
		"disabled":               {change: `status = 'disabled_by_user'`, slots: 9, status: 204},
		"deleted":                {change: `status = 'deleted'`, slots: 9, status: 204},
		"gone":                   {change: `weight = 1`, slots: 9, status: 410},
		"waits for its endpoint": {change: `paused_until = now() + interval '1 hour'`, slots: 9, status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			tenant := fmt.Sprintf("tenant-%d", rand.Uint64())
			e := f.trusted(tenant, 1)
			f.exec(`UPDATE malote.endpoints SET at_most_once = $2 WHERE id = $1`, e.ID, x.once)
			f.publishMany(tenant, 3)
			claims := f.claim(10)
			require.Len(t, claims, 1)
			f.exec(`UPDATE malote.lanes SET `+x.change+` WHERE endpoint_id = $1`, e.ID)
			onward := policy.Onward{Slots: x.slots}
			if x.except {
				onward.Except = []delivery.ID{e.ID}
			}
			done := f.completion(claims[0], delivery.Outcome{Status: x.status, StartedAt: claims[0].ClaimedAt, Duration: x.took})
			result, err := f.store.CompleteAndClaim(t.Context(), []policy.Completion{done}, onward)
			require.NoError(t, err)
			if name == "plain, to compare" {
				require.Len(t, result.Next.Claims, 1)
				return
			}
			require.Empty(t, result.Next.Claims)
			require.Empty(t, result.Next.Lanes)
			require.Equal(t, x.inLine, scalar[bool](f, `SELECT ready_at <= now() FROM malote.lanes WHERE endpoint_id = $1`, e.ID))
			require.Equal(t, x.inLine, len(f.claim(10)) > 0)
		})
	}
}

// Publishers who wake lanes, and workers who claim and go on, hand back and let fail:
// no lane ever has more in flight than it may (I1), and nothing is stranded, with no
// sweep to help (I4).
func TestI1_I4_NothingIsLostOnward(t *testing.T) {
	f := newFixture(t)
	f.noCircuit()
	const lanes, limit, publishers, each, workers = 3, 2, 3, 60, 3
	tenants := make([]string, lanes)
	for i := range lanes {
		tenants[i] = fmt.Sprintf("tenant-%d", i)
		f.trusted(tenants[i], limit)
	}
	deadline, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	group, ctx := errgroup.WithContext(deadline)
	for p := range publishers {
		publisher := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			for i := range each {
				if _, err := f.publishOn(ctx, publisher, draft(tenants[(p+i)%lanes], fmt.Sprintf("%d-%d", p, i))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	run := &onwardRun{f: f, total: publishers * each}
	for range workers {
		worker := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error { return run.work(ctx, worker) })
	}
	most := f.mostInFlight(func() { require.NoError(t, group.Wait()) })
	require.Equal(t, limit, most)
	require.NotZero(t, run.onward.Load())
	require.Equal(t, map[string]int{"delivered": publishers * each}, f.states())
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded)
}

type onwardRun struct {
	f                 *fixture
	total             int
	delivered, onward atomic.Int64
}

func (r *onwardRun) work(ctx context.Context, worker *store.Store) error {
	for int(r.delivered.Load()) < r.total {
		claimed, err := worker.Claim(ctx, 1+rand.IntN(4))
		for err == nil && len(claimed.Claims) > 0 {
			claimed, err = r.finish(ctx, worker, claimed.Claims)
		}
		if err != nil {
			return fmt.Errorf("%w (%d of %d delivered)", err, r.delivered.Load(), r.total)
		}
	}
	return nil
}

func (r *onwardRun) finish(ctx context.Context, worker *store.Store, claims []*delivery.Claim) (delivery.Claimed, error) {
	var done []policy.Completion
	for _, c := range claims {
		if rand.IntN(6) == 0 {
			done = append(done, policy.Completion{Kind: policy.Unsent, Claim: c, CompletedAt: c.DatabaseTime(time.Now())})
		} else {
			done = append(done, r.f.completion(c, delivery.Outcome{Status: 204, StartedAt: c.ClaimedAt}))
		}
	}
	result, err := worker.CompleteAndClaim(ctx, done, policy.Onward{Slots: rand.IntN(4)})
	r.delivered.Add(int64(result.States[delivery.Delivered]))
	r.onward.Add(int64(len(result.Next.Claims)))
	if err == nil {
		err = result.NextErr
	}
	return result.Next, err
}

// A commit that fails may have happened all the same, and parked what nobody has looked
// at again: whoever is told of the failure is told of that, too.
func TestOnward_TellsWhatAFailureMayHaveParked(t *testing.T) {
	f := newFixture(t)
	e := f.trusted("acme", 1)
	f.publishMany("acme", 2)
	claims := f.claim(10)
	f.exec(`CREATE FUNCTION public.kill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END'`)
	f.exec(`CREATE CONSTRAINT TRIGGER killed AFTER UPDATE OR DELETE ON malote.queue DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION public.kill()`)
	done := []policy.Completion{f.completion(claims[0], delivery.Outcome{Status: 204, StartedAt: claims[0].ClaimedAt})}
	result, err := f.store.CompleteAndClaim(t.Context(), done, policy.Onward{Slots: 9})
	require.ErrorContains(t, err, "killed")
	require.Empty(t, result.Next.Claims, "nothing of it may be sent")
	require.Equal(t, []delivery.LaneRef{{Shard: e.ID.Shard(), EndpointID: e.ID}}, result.Next.Untaken)

	f.exec(`DROP FUNCTION public.kill() CASCADE`)
	require.Len(t, f.goOn(9, 204, claims...).Next.Claims, 1, "it is done when tried again")
}

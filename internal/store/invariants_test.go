package store_test

import (
	"context"
	"fmt"
	"sync"
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

// inFlight counts, per endpoint, what all workers hold at once.
type inFlight struct {
	mu   sync.Mutex
	now  map[delivery.ID]int
	most map[delivery.ID]int
}

func newInFlight() *inFlight {
	return &inFlight{now: make(map[delivery.ID]int), most: make(map[delivery.ID]int)}
}

func (f *inFlight) add(claims []*delivery.Claim, by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range claims {
		id := c.Endpoint.ID
		f.now[id] += by
		f.most[id] = max(f.most[id], f.now[id])
	}
}

// drain claims and answers from several workers, each with its own store as a
// process of its own would have, until total deliveries are done.
func (f *fixture) drain(workers, batch, total int, seen *inFlight) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), time.Minute)
	defer cancel()
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		worker := pgtest.OpenDSN(f.T, f.dsn)
		group.Go(func() error {
			for int(done.Load()) < total {
				n, err := f.workOnce(ctx, worker, batch, seen)
				if err != nil {
					return fmt.Errorf("%w (%d of %d done)", err, done.Load(), total)
				}
				done.Add(int64(n))
			}
			return nil
		})
	}
	require.NoError(f, group.Wait())
}

func (f *fixture) workOnce(ctx context.Context, worker *store.Store, batch int, seen *inFlight) (int, error) {
	claimed, err := worker.Claim(ctx, batch)
	if err != nil {
		return 0, err
	}
	// Counted after the claim is committed and until the completion begins: a
	// worker cannot hold more than the database knows of.
	seen.add(claimed.Claims, 1)
	seen.add(claimed.Claims, -1)
	done := make([]policy.Completion, 0, len(claimed.Claims))
	for _, c := range claimed.Claims {
		done = append(done, f.completion(c, delivery.Outcome{Status: 204, StartedAt: c.ClaimedAt}))
	}
	if len(done) == 0 {
		return 0, nil
	}
	result, err := worker.Complete(ctx, done)
	return result.States[delivery.Delivered], err
}

// mostInFlight is how many of an endpoint were ever seen in flight, of what is
// committed, while something is done.
func (f *fixture) mostInFlight(do func()) int {
	f.Helper()
	watching, stop := context.WithCancel(f.Context())
	watched := make(chan int, 1)
	watcher := pgtest.OpenDSN(f.T, f.dsn)
	go func() {
		most := 0
		for watching.Err() == nil {
			var n int
			err := watcher.Pool().QueryRow(watching, `SELECT coalesce(max(n), 0)::int FROM (
				SELECT count(*) AS n FROM malote.queue WHERE status = 'sending' GROUP BY endpoint_id) x`).Scan(&n)
			if err == nil {
				most = max(most, n)
			}
		}
		watched <- most
	}()
	do()
	stop()
	return <-watched
}

func TestFairQueue_F03_I1_NeverOverTheLimitOverAllProcesses(t *testing.T) {
	f := newFixture(t)
	const endpoints, each, limit = 6, 25, 4
	for range endpoints {
		f.endpoint("acme", limit)
	}
	f.publishMany("acme", each)

	most := f.mostInFlight(func() { f.drain(4, 16, endpoints*each, newInFlight()) })
	require.LessOrEqual(t, most, limit)
	require.Equal(t, limit, most, "the watcher looked too rarely to prove anything")
	require.Equal(t, map[string]int{"delivered": endpoints * each}, f.states())
}

func TestFairQueue_F03_I1_LimitIsExactWhileClaimsRace(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	f.publishMany("acme", 100)
	var mu sync.Mutex
	var claims []*delivery.Claim
	group, ctx := errgroup.WithContext(t.Context())
	for range 8 {
		worker := pgtest.OpenDSN(t, f.dsn)
		group.Go(func() error {
			for range 5 {
				claimed, err := worker.Claim(ctx, 3)
				if err != nil {
					return err
				}
				mu.Lock()
				claims = append(claims, claimed.Claims...)
				mu.Unlock()
				// As if a publisher had found the lane parked: it must not help.
				_, err = worker.Pool().Exec(ctx, `UPDATE malote.lanes l SET ready_at = now(), parked_full = false
					WHERE l.shard = $1 AND l.endpoint_id = $2`, e.ID.Shard(), e.ID)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	require.Len(t, claims, 4, "nothing was completed, so only four can be out")
}

func TestFairQueue_F04_I2_FirstOfEachLaneBeforeSecondOfAny(t *testing.T) {
	f := newFixture(t)
	for i := range 5 {
		tenant := fmt.Sprintf("tenant-%d", i)
		f.endpoint(tenant, 10)
		f.publishMany(tenant, 3+100*(i%2)) // long backlogs get no more than short ones
	}
	claims := f.claim(12)
	require.Len(t, claims, 12)
	turns := make(map[delivery.ID]int)
	previous := 0
	for _, c := range claims {
		turns[c.Endpoint.ID]++
		require.GreaterOrEqual(t, turns[c.Endpoint.ID], previous, "a lane's next came before another's first")
		previous = turns[c.Endpoint.ID]
	}
	require.Len(t, turns, 5)
}

func TestFairQueue_F04_I2_LanesTakeTurnsOverClaims(t *testing.T) {
	f := newFixture(t)
	for i := range 6 {
		tenant := fmt.Sprintf("tenant-%d", i)
		f.endpoint(tenant, 10)
		f.publishMany(tenant, 5)
	}
	counts := make(map[delivery.ID]int)
	for range 6 {
		for _, c := range f.claim(2) {
			counts[c.Endpoint.ID]++
		}
	}
	require.Len(t, counts, 6)
	for id, n := range counts {
		require.Equal(t, 2, n, "lane %s had more or fewer turns than others", id)
	}
}

func TestI4_NoLostWakeUp(t *testing.T) {
	f := newFixture(t)
	const lanes, publishers, each = 3, 4, 60
	tenants := make([]string, lanes)
	for i := range lanes {
		tenants[i] = fmt.Sprintf("tenant-%d", i)
		f.endpoint(tenants[i], 2)
	}
	group, ctx := errgroup.WithContext(t.Context())
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
	// The claimers keep lanes on the edge of empty all the time, with no sweep
	// and no clock to help: what is stranded stays stranded.
	f.drain(2, 2, publishers*each, newInFlight())
	require.NoError(t, group.Wait())
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded)
}

// What a publisher commits after the claimer looked and before its parking is
// committed is seen by neither at first: the publisher finds the lane ready, the
// claimer finds it empty. Here the parking is held up in between, on purpose.
func TestI4_AClaimerLooksAgainAfterParking(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 2)
	f.exec(`UPDATE malote.lanes SET ready_at = now()`)
	f.exec(`CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(` + gate + `); RETURN NEW; END'`)
	f.exec(`CREATE TRIGGER gate BEFORE UPDATE ON malote.lanes FOR EACH ROW EXECUTE FUNCTION pass_gate()`)
	open := f.closeGate()
	claimed := make(chan delivery.Claimed, 1)
	go func() {
		result, err := f.store.Claim(t.Context(), 2)
		if err == nil {
			claimed <- result
		}
	}()
	f.eventuallyWaiting(1)
	_, lanes, err := f.store.Publish(t.Context(), []*delivery.Draft{draft("acme", "1")}, toAll)
	require.NoError(t, err)
	woken, err := f.store.WakeLanes(t.Context(), lanes)
	require.NoError(t, err)
	require.Zero(t, woken, "it looks ready")
	heard, _ := listen(t.Context(), pgtest.OpenDSN(t, f.dsn))
	within(t, heard, "it begins")

	open()
	result := within(t, claimed, "the claim ends")
	require.Empty(t, result.Claims)
	require.Zero(t, result.NextDue, "whoever claimed in vain knows that there is work now")
	within(t, heard, "the other processes are told")
	require.Len(t, f.claim(1), 1)
}

func TestI4_SweepFindsWhatAKilledPublisherLeft(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 2)
	d := draft("acme", "1")
	_, _, err := f.store.Publish(t.Context(), []*delivery.Draft{d}, toAll) // and killed before the wake-up
	require.NoError(t, err)
	require.Empty(t, f.claim(1))
	f.exec(`UPDATE malote.queue SET next_attempt_at = now() - interval '4 seconds'`)
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, stranded)
	require.Len(t, f.claim(1), 1)
}

func TestFairQueue_F12_I5_LostClaimChangesNothingButIsRecorded(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 1)
	f.publishMany("acme", 1)
	old := f.claim(1)
	f.exec(`UPDATE malote.queue SET lease_until = now() - interval '1 second'`)
	require.Equal(t, 1, f.rescue())
	require.Equal(t, map[string]int{"pending": 1}, f.states(), "F12: back in the queue, at once")

	fresh := f.claim(1)
	require.Len(t, fresh, 1)
	require.Equal(t, 2, fresh[0].Attempt)
	result := f.answer(200, old...) // the old worker wakes up
	require.Equal(t, 1, result.Lost)
	require.Equal(t, map[string]int{"sending": 1}, f.states(), "the new claim stands")
	require.Equal(t, 200, scalar[int](f, `SELECT response_status::int FROM malote.attempts WHERE number = 1`),
		"what the old worker saw replaces the placeholder")

	f.answer(200, fresh...)
	require.Equal(t, map[string]int{"delivered": 1}, f.states())
	require.Equal(t, 2, scalar[int](f, `SELECT count(*)::int FROM malote.attempts`))
}

// rescue gives up expired leases, as the maintenance does.
func (f *fixture) rescue() int {
	f.Helper()
	rescued, err := f.rescueSome()
	require.NoError(f, err)
	return rescued
}

func (f *fixture) rescueSome() (int, error) {
	claims, now, err := f.store.ExpiredLeases(f.Context(), 100)
	if err != nil {
		return 0, err
	}
	done := make([]policy.Completion, len(claims))
	for i, c := range claims {
		done[i] = f.completion(c, delivery.Outcome{Error: delivery.InterruptedSend, StartedAt: c.ClaimedAt})
		done[i].Kind, done[i].CompletedAt = policy.Expired, now
		done[i].Decision.NextAttemptAt = now
	}
	result, err := f.store.Complete(f.Context(), done)
	return result.States[delivery.Pending], err
}

func TestI5_CompletingTwiceIsOnce(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 1)
	f.publishMany("acme", 1)
	claims := f.claim(1)
	f.answer(500, claims...)
	before := scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`)
	result := f.answer(500, claims...) // the acknowledgement of COMMIT was lost
	require.Equal(t, 1, result.Lost)
	require.Equal(t, before, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`))
	result = f.answer(200, claims...) // and not even another outcome changes what is recorded
	require.Equal(t, 1, result.Lost)
	require.Equal(t, 500, scalar[int](f, `SELECT response_status::int FROM malote.attempts`))
	require.Equal(t, map[string]int{"pending": 1}, f.states())
}

func TestI6_OpenApplicationTransactionDelaysNobody(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	tx, err := f.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.Background()) //nolint:errcheck // the test is over
	_, err = tx.Exec(t.Context(), `SELECT malote.publish('acme', 't', '1')`)
	require.NoError(t, err)

	f.publishMany("acme", 3)
	claims := f.claim(3)
	require.Len(t, claims, 3)
	f.answer(200, claims...)
	require.Zero(t, scalar[int](f, `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
}

func TestI9_EveryEventHasAReason(t *testing.T) {
	f := newFixture(t)
	f.exec(`INSERT INTO malote.tenants (shard, id) VALUES ($1, 'lonely')`, delivery.ShardOf("lonely"))
	f.publish(draft("lonely", "1"))
	require.Equal(t, "no_endpoint", scalar[string](f, `SELECT reason FROM malote.deliveries WHERE state = 'skipped' AND endpoint_id IS NULL`))
}

func TestI10_ClosingIsOneTransaction(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 1)
	f.publishMany("acme", 1)
	claims := f.claim(1)
	f.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END'`)
	done := f.completion(claims[0], delivery.Outcome{Status: 410, StartedAt: claims[0].ClaimedAt}) // touches all tables
	for _, table := range []string{"deliveries", "attempts", "lane_stats", "lanes", "signals", "tenants"} {
		f.exec(`CREATE TRIGGER broken BEFORE INSERT OR UPDATE ON malote.` + table + ` FOR EACH ROW EXECUTE FUNCTION fail()`)
		_, err := f.store.Complete(t.Context(), []policy.Completion{done})
		require.ErrorContains(t, err, "broken", table)

		require.Equal(t, map[string]int{"sending": 1}, f.states(), table)
		require.Zero(t, scalar[int](f, `SELECT (SELECT count(*) FROM malote.attempts)::int
			+ (SELECT count(*) FROM malote.lane_stats)::int + (SELECT count(*) FROM malote.signals)::int`), table)
		require.Equal(t, "active", scalar[string](f, `SELECT status FROM malote.lanes`), table)
		f.exec(`DROP TRIGGER broken ON malote.` + table)
	}
	_, err := f.store.Complete(t.Context(), []policy.Completion{done})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"dead": 1}, f.states())
}

package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// processes are the fixture's store and others on the same database.
func (f *fixture) processes(n int) []*store.Store {
	f.Helper()
	list := []*store.Store{f.store}
	for len(list) < n {
		list = append(list, pgtest.OpenDSN(f.T, f.dsn))
	}
	return list
}

// claimAtOnce lets every process claim at the same time, several times.
func (f *fixture) claimAtOnce(processes []*store.Store) []*delivery.Claim {
	f.Helper()
	var mu sync.Mutex
	var claims []*delivery.Claim
	group, ctx := errgroup.WithContext(f.Context())
	start := make(chan struct{})
	for _, s := range processes {
		group.Go(func() error {
			<-start
			for range 3 {
				claimed, err := s.Claim(ctx, 64)
				if err != nil {
					return err
				}
				mu.Lock()
				claims = append(claims, claimed.Claims...)
				mu.Unlock()
			}
			return nil
		})
	}
	close(start)
	require.NoError(f, group.Wait())
	return claims
}

// pass lets time pass, as far as the database's rows know.
func (f *fixture) pass(d time.Duration) {
	f.Helper()
	f.exec(`UPDATE malote.lanes SET ready_at = ready_at - $1::interval, paused_until = paused_until - $1::interval,
		opened_at = opened_at - $1::interval, slowed_at = slowed_at - $1::interval, first_failure_at = first_failure_at - $1::interval,
		last_failure_at = last_failure_at - $1::interval, last_success_at = last_success_at - $1::interval`, d)
	f.exec(`UPDATE malote.queue SET next_attempt_at = next_attempt_at - $1::interval, lease_until = lease_until - $1::interval,
		cycle_started_at = cycle_started_at - $1::interval, cycle_first_attempt_at = cycle_first_attempt_at - $1::interval`, d)
}

// requirePause says how long the only lane is paused, and that nobody can claim.
func (f *fixture) requirePause(want time.Duration, processes []*store.Store) {
	f.Helper()
	pause := scalar[float64](f, `SELECT extract(epoch FROM paused_until - now())::float8 FROM malote.lanes`)
	require.InDelta(f, want.Seconds(), pause, 5)
	require.Empty(f, f.claimAtOnce(processes))
	f.publishMany("acme", 1) // new work does not wake it before its time
	for _, s := range processes {
		claimed, err := s.Claim(f.Context(), 64)
		require.NoError(f, err)
		require.Empty(f, claimed.Claims)
		require.InDelta(f, want.Seconds(), claimed.NextDue.Seconds(), 5)
	}
	f.exec(`UPDATE malote.queue SET next_attempt_at = least(next_attempt_at, now() - interval '5 seconds')`)
	stranded, err := f.store.Sweep(f.Context())
	require.NoError(f, err)
	require.Zero(f, stranded, "a pause strands nothing")
}

func TestFairQueue_F11_ThePauseHoldsForAllProcesses(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.publishMany("acme", 40)
	processes := f.processes(2)
	for failures := 0; failures < 20; failures += 4 {
		claimed, err := processes[failures/4%2].Claim(t.Context(), 64)
		require.NoError(t, err)
		require.Len(t, claimed.Claims, 4)
		f.answer(500, claimed.Claims...)
	}
	f.requirePause(time.Minute, processes)

	f.pass(time.Minute)
	probes := f.claimAtOnce(processes)
	require.Len(t, probes, 4, "at most max_in_flight probes, over all processes")
	f.answer(503, probes...)
	f.requirePause(5*time.Minute, processes) // k = 24

	f.pass(5 * time.Minute)
	probes = f.claimAtOnce(processes)
	require.Len(t, probes, 4)
	f.answer(200, probes[0])
	require.Zero(t, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`))
	require.Len(t, f.claimAtOnce(processes), 1, "normal pace: three are still under way")
}

func TestGateway_G07_OneProbeOverAllProcesses(t *testing.T) {
	f := newFixture(t)
	f.follow("standard") // S09
	f.endpoint("acme", 10)
	f.publishMany("acme", 40)
	processes := f.processes(4)
	f.answer(500, f.claim(64)...)
	f.requirePause(30*time.Second, processes)
	spent := scalar[int](f, `SELECT sum(attempt_count)::int FROM malote.queue`)
	require.Equal(t, 10, spent)

	for _, next := range []time.Duration{time.Minute, 2 * time.Minute} {
		f.pass(next / 2)
		probes := f.claimAtOnce(processes)
		require.Len(t, probes, 1)
		f.publishMany("acme", 1)
		require.Empty(t, f.claimAtOnce(processes), "while it is under way")
		f.answer(500, probes...)
		f.requirePause(next, processes)
	}
	require.Equal(t, spent+2, scalar[int](f, `SELECT sum(attempt_count)::int FROM malote.queue`),
		"what was not sent used up no attempt")

	f.pass(2 * time.Minute)
	f.answer(200, f.claimAtOnce(processes)...)
	require.Len(t, f.claimAtOnce(processes), 10, "the circuit is closed")
}

// What was under way when the circuit opened counts: the probe is alone.
func TestGateway_G07_NoProbeBesideStragglers(t *testing.T) {
	f := newFixture(t)
	f.follow("standard")
	f.endpoint("acme", 10)
	f.publishMany("acme", 40)
	first := f.claim(64)
	f.answer(500, first[:9]...)
	stragglers := f.claim(64)
	require.Len(t, stragglers, 9)
	f.answer(500, first[9])
	f.pass(30 * time.Second)
	require.Empty(t, f.claim(64))
	for _, straggler := range stragglers {
		require.Empty(t, f.claim(64))
		f.answer(500, straggler)
	}
	require.Len(t, f.claimAtOnce(f.processes(2)), 1)
}

// A probe whose worker died says nothing; another one goes.
func TestGateway_G07_ALostProbeIsReplaced(t *testing.T) {
	f := newFixture(t)
	f.follow("standard")
	f.endpoint("acme", 10)
	f.publishMany("acme", 20)
	f.answer(500, f.claim(64)...)
	f.pass(30 * time.Second)
	require.Len(t, f.claim(64), 1)
	f.pass(time.Minute) // its lease
	require.Equal(t, 1, f.rescue())
	require.Len(t, f.claimAtOnce(f.processes(2)), 1)
	require.Equal(t, 10, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`))
}

func TestStandard_S03_SlowedDownForAllProcessesAndSpedUpAgain(t *testing.T) {
	f := newFixture(t)
	f.follow("standard")
	f.endpoint("acme", 10)
	f.publishMany("acme", 60)
	processes := f.processes(2)
	claims := f.claimAtOnce(processes)
	require.Len(t, claims, 10)
	f.answer(429, claims[0])
	for _, c := range claims[1:6] {
		require.Empty(t, f.claimAtOnce(processes), "more than half of the limit are still under way")
		f.answer(200, c)
	}
	claims = append(claims[6:], f.claimAtOnce(processes)...)
	require.Len(t, claims, 5, "half of the limit")
	f.answer(200, claims...) // with the five before: ten successes restore it
	require.Len(t, f.claimAtOnce(processes), 10)
}

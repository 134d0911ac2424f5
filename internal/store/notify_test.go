package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/pgtest"
)

// listen runs a listener and gives its wake-ups and its end.
func listen(ctx context.Context, s *store.Store) (woken chan struct{}, ended chan error) {
	woken, ended = make(chan struct{}, 100), make(chan error, 1)
	go func() { ended <- s.Listen(ctx, func() { woken <- struct{}{} }) }()
	return woken, ended
}

func within[T any](t *testing.T, channel <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-channel:
	case <-time.After(10 * time.Second):
		require.Fail(t, what)
	}
	return value
}

func TestListen_HearsOfLanesThatAnotherProcessWoke(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	listener := pgtest.OpenDSN(t, f.dsn)
	ctx, cancel := context.WithCancel(t.Context())
	woken, ended := listen(ctx, listener)
	within(t, woken, "it wakes once when it begins: something may have happened before")

	f.publishMany("acme", 1)
	within(t, woken, "a lane was woken")
	f.publishMany("acme", 1) // the lane is ready already: nobody needs to be told
	f.claim(1)
	require.Empty(t, woken)

	cancel()
	require.ErrorIs(t, within(t, ended, "it ends with its context"), context.Canceled)
}

func TestListen_EndsWithItsConnection(t *testing.T) {
	f := newFixture(t)
	woken, ended := listen(t.Context(), f.store)
	within(t, woken, "it begins")
	require.Equal(t, 1, scalar[int](f, `SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'LISTEN%'`))
	require.ErrorContains(t, within(t, ended, "the caller must know, to listen again"), "listening")
}

// The waking itself: what was looked at, and when.
func TestWakeLanes_OnlyWhatLooksParked(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 4)
	ref := []delivery.LaneRef{{Shard: e.ID.Shard(), EndpointID: e.ID}}
	for _, c := range []struct {
		name, lane string
		woken      int
		readyIn    time.Duration // with woken
	}{
		{"parked", `ready_at = 'infinity'`, 1, 0},
		{"parked until a retry", `ready_at = now() + interval '1 hour'`, 1, 0},
		{"ready", `ready_at = now() - interval '1 second'`, 0, 0},
		{"full", `ready_at = 'infinity', parked_full = true`, 0, 0},
		{"paused by its circuit", `ready_at = 'infinity', paused_until = now() + interval '1 minute'`, 1, time.Minute},
		{"waiting for the end of its pause", `ready_at = now() + interval '1 minute', paused_until = now() + interval '1 minute'`, 0, 0},
		{"past its pause", `ready_at = 'infinity', paused_until = now() - interval '1 minute'`, 1, 0},
		{"paused by a person", `ready_at = 'infinity', status = 'paused'`, 0, 0},
		{"disabled", `ready_at = 'infinity', status = 'disabled_by_system'`, 0, 0},
		{"deleted", `ready_at = 'infinity', status = 'deleted'`, 0, 0},
	} {
		f.exec(`UPDATE malote.lanes SET status = 'active', parked_full = false, paused_until = NULL`)
		f.exec(`UPDATE malote.lanes SET ` + c.lane)
		before := scalar[string](f, `SELECT ready_at::text FROM malote.lanes`)
		woken, err := f.store.WakeLanes(t.Context(), ref)
		require.NoError(t, err, c.name)
		require.Equal(t, c.woken, woken, c.name)
		if woken == 0 {
			require.Equal(t, before, scalar[string](f, `SELECT ready_at::text FROM malote.lanes`), c.name)
			continue
		}
		require.InDelta(t, c.readyIn.Seconds(), scalar[float64](f, `SELECT extract(epoch FROM ready_at - now())::float8 FROM malote.lanes`), 5, c.name)
	}
}

package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/internal/store/registry"
)

func (f *fixture) set(e *delivery.Endpoint, change registry.StatusChange) {
	f.Helper()
	_, err := registry.New(f.store, registry.Options{}).SetStatus(f.Context(), registry.AnyTenant, e.ID, change)
	require.NoError(f, err)
}

// statusSeenBy is what the store's publishers know of the tenant's only endpoint.
func (f *fixture) statusSeenByPublishers(s int) delivery.EndpointStatus {
	f.Helper()
	var seen delivery.EndpointStatus
	_, _, err := f.processes(s + 1)[s].Publish(f.Context(), []*delivery.Draft{draft("acme", "x")},
		func(d *delivery.Draft, endpoints []*delivery.Endpoint) (delivery.Plan, error) {
			seen = endpoints[0].Status
			return delivery.Plan{Bodies: [][]byte{d.Event.Body}}, nil
		})
	require.NoError(f, err)
	return seen
}

func TestStatus_PausedCollectsAndSendsNothing(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 2)
	processes := f.processes(2)
	f.publishMany("acme", 4)
	sending := f.claim(2)
	f.set(e, registry.Pause)
	f.publishMany("acme", 2)
	require.Empty(t, f.claimAtOnce(processes))

	f.answer(200, sending[0])
	f.answer(500, sending[1]) // goes back to the queue, and wakes nobody
	f.pass(time.Hour)
	require.Empty(t, f.claimAtOnce(processes))
	stranded, err := f.store.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, stranded)
	require.Equal(t, map[string]int{"pending": 5, "delivered": 1}, f.states(), "all is kept")

	f.set(e, registry.Resume)
	require.Len(t, f.claimAtOnce(processes), 2)
}

// Resuming ends no circuit's pause.
func TestStatus_ResumedWhileTheCircuitIsOpen(t *testing.T) {
	f := newFixture(t)
	f.follow("standard")
	e := f.endpoint("acme", 10)
	f.publishMany("acme", 20)
	f.answer(500, f.claim(64)...)
	f.set(e, registry.Pause)
	f.set(e, registry.Resume)
	f.requirePause(30*time.Second, f.processes(2))
	f.pass(30 * time.Second)
	require.Len(t, f.claimAtOnce(f.processes(2)), 1)
}

func TestFairQueue_F09_410DisablesForAllProcesses(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint("acme", 2)
	f.publishMany("acme", 5)
	require.Equal(t, delivery.Active, f.statusSeenByPublishers(1))
	claims := f.claim(2)
	f.answer(410, claims[0])
	f.answer(500, claims[1])
	require.Equal(t, map[string]int{"pending": 4, "dead": 1}, f.states(), "F14: its pending deliveries stay")
	require.Equal(t, "gone", scalar[string](f, `SELECT reason FROM malote.deliveries`))
	f.pass(time.Hour)
	require.Empty(t, f.claimAtOnce(f.processes(2)))
	for s := range 2 {
		require.Equal(t, delivery.DisabledBySystem, f.statusSeenByPublishers(s))
	}
	require.Equal(t, "gone", scalar[string](f, `SELECT detail FROM malote.signals WHERE kind = 'endpoint_disabled'`))

	f.set(e, registry.Enable)
	require.Equal(t, delivery.Active, f.statusSeenByPublishers(1))
	require.Len(t, f.claimAtOnce(f.processes(2)), 2, "until somebody chooses to")
}

func TestFairQueue_F14_DisabledAfterFiveDays(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 2)
	f.publishMany("acme", 3)
	f.answer(500, f.claim(1)...)
	// The ends of the two attempts are told by a clock that is right up to a round trip.
	f.pass(5*day + time.Second)
	f.exec(`UPDATE malote.queue SET cycle_started_at = now(), cycle_first_attempt_at = NULL`) // or it would be dead of age
	f.answer(500, f.claim(1)...)
	require.Equal(t, "disabled_by_system", scalar[string](f, `SELECT status FROM malote.lanes`))
	require.Equal(t, map[string]int{"pending": 3}, f.states())
	f.pass(day)
	require.Empty(t, f.claim(10))
	require.Equal(t, 1, scalar[int](f, `SELECT count(*)::int FROM malote.signals WHERE kind = 'endpoint_disabled'`))
}

// A 410 of what was under way when somebody paused the endpoint disables it all
// the same; one that somebody disabled stays as it is.
func TestFairQueue_F09_410OfAStoppedEndpoint(t *testing.T) {
	for change, want := range map[registry.StatusChange]struct {
		status  string
		signals int
	}{
		registry.Pause:         {"disabled_by_system", 1},
		registry.DisableByUser: {"disabled_by_user", 0},
	} {
		t.Run(string(change), func(t *testing.T) {
			f := newFixture(t)
			e := f.endpoint("acme", 2)
			f.publishMany("acme", 2)
			claims := f.claim(1)
			f.set(e, change)
			f.answer(410, claims...)
			require.Equal(t, want.status, scalar[string](f, `SELECT status FROM malote.lanes`))
			require.Equal(t, want.signals, scalar[int](f, `SELECT count(*)::int FROM malote.signals WHERE kind = 'endpoint_disabled'`))
			require.Equal(t, map[string]int{"pending": 1, "dead": 1}, f.states())
			require.Empty(t, f.claim(10))

			f.set(e, registry.Enable)
			f.answer(410, f.claim(1)...)
			require.Equal(t, "disabled_by_system", scalar[string](f, `SELECT status FROM malote.lanes`), "it can be disabled again")
		})
	}
}

// What comes back for a deleted endpoint, or one whose rows somebody removed,
// has nowhere to go.
func TestComplete_OfADeletedEndpoint(t *testing.T) {
	for _, delete := range []string{
		`UPDATE malote.lanes SET status = 'deleted', ready_at = 'infinity'`,
		`DELETE FROM malote.lanes`,
	} {
		t.Run(delete, func(t *testing.T) {
			f := newFixture(t)
			f.endpoint("acme", 4)
			f.publishMany("acme", 4)
			claims := f.claim(4)
			f.exec(delete)
			f.answer(200, claims[0])
			f.answer(500, claims[1])
			f.handBack(claims[2])
			f.pass(time.Minute)
			f.exec(`DELETE FROM malote.endpoints`) // as when the tenant was removed by hand
			require.Zero(t, f.rescue())
			require.Equal(t, map[string]int{"delivered": 1, "dead": 3}, f.states())
			require.Equal(t, 3, scalar[int](f, `SELECT count(*)::int FROM malote.deliveries WHERE reason = 'endpoint_deleted'`))
			require.Equal(t, 0, scalar[int](f, `SELECT attempt_count FROM malote.deliveries WHERE id = $1`, claims[2].DeliveryID))
		})
	}
}

func TestComplete_HandedBackIsAsIfNeverClaimed(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	published := f.publish(draft("acme", "1"), draft("acme", "2"), draft("acme", "3", coalesced("k")))
	claims := f.claim(1)
	require.Equal(t, policy.Completed{States: map[delivery.State]int{delivery.Pending: 1}}.States, f.handBack(claims...).States)
	again := f.claim(1)
	require.Equal(t, claims[0].DeliveryID, again[0].DeliveryID, "its place in the line is kept")
	require.Equal(t, 1, again[0].Attempt)
	require.Equal(t, 1, again[0].CycleAttempt)
	require.Zero(t, scalar[int](f, `SELECT count(*)::int FROM malote.attempts`))
	require.Zero(t, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`))

	// What was known of it before is known afterwards, also where a newer one
	// took its place meanwhile.
	f.pass(time.Minute)
	claims = f.claim(4)
	require.Len(t, claims, 2)
	keyed := claims[len(claims)-1]
	require.Equal(t, published[2].ID, keyed.Event.ID)
	f.answer(502, keyed)
	f.pass(time.Hour)
	second := f.claim(1)
	require.Equal(t, keyed.DeliveryID, second[0].DeliveryID)
	f.publish(draft("acme", "4", coalesced("k")))
	f.handBack(second...)
	require.Equal(t, "superseded 502 http_status 1", scalar[string](f, `SELECT concat_ws(' ', state, last_status, last_error, attempt_count)
		FROM malote.deliveries WHERE id = $1`, keyed.DeliveryID))
}

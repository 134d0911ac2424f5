package redelivery

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// neverWanted seeds what an endpoint did not miss: what it does not subscribe to,
// what its filter refused, and tests, whatever became of them.
func (s seeder) neverWanted(endpoint delivery.ID) map[delivery.ID]delivery.State {
	s.t.Helper()
	stays := make(map[delivery.ID]delivery.State)
	for _, r := range []row{
		{state: delivery.Skipped, reason: delivery.TypeNotSubscribed},
		{state: delivery.Skipped, reason: delivery.Filtered},
		{state: delivery.Skipped, trigger: delivery.TriggerTest},
		{state: delivery.Dead, trigger: delivery.TriggerTest},
		{state: delivery.Discarded, trigger: delivery.TriggerTest},
	} {
		r.tenant, r.endpoint, r.age = "acme", endpoint, 10*time.Minute
		stays[s.delivery(r)] = r.state
	}
	return stays
}

func TestDracma_D07_RecoverSendsNothingTheEndpointNeverWanted(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	stays := s.neverWanted(endpoint)
	var missed []delivery.ID
	for _, r := range []row{
		{state: delivery.Skipped},
		{state: delivery.Dead},
		{state: delivery.Dead, trigger: delivery.TriggerRecover}, // missed, recovered, and died
		{state: delivery.Discarded, reason: delivery.DiscardedByUser},
	} {
		r.tenant, r.endpoint, r.age = "acme", endpoint, 20*time.Minute
		missed = append(missed, s.delivery(r))
	}
	window := lastHour(endpoint)
	window.States = append(window.States, delivery.Discarded)
	count, err := w.CountRecoverable(t.Context(), window)
	require.NoError(t, err)
	require.Equal(t, len(missed), count)
	done := s.recoverAll(w, s.start(w, window).ID)
	require.Equal(t, []int{4, 4, 0}, []int{done.Total, done.Recovered, done.PassedOver})
	for _, id := range missed {
		require.Equal(t, delivery.Pending, s.stateOf(id))
	}
	for id, state := range stays {
		require.Equal(t, state, s.stateOf(id))
	}
}

func TestRouta_R06_EnablingReplaysNoTest(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	stays := s.neverWanted(endpoint)
	dead := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	require.Equal(t, 1, s.enable(endpoint))
	require.Equal(t, delivery.Pending, s.stateOf(dead))
	for id, state := range stays {
		require.Equal(t, state, s.stateOf(id))
	}
}

// Whatever was seen before the lock: what counts is what is there under it.
func TestBulk_ReopensNothingTheEndpointNeverWanted(t *testing.T) {
	t.Parallel()
	s, _ := seeded(t)
	endpoint := s.endpoint("acme")
	stays := s.neverWanted(endpoint)
	var seen []surveyed
	for id := range stays {
		seen = append(seen, surveyed{id: id})
	}
	require.NoError(t, pgx.BeginFunc(t.Context(), s.store.Pool(), func(tx pgx.Tx) error {
		many := &bulk{tx: tx, endpoint: endpoint, trigger: delivery.TriggerRecover,
			states: []delivery.State{delivery.Skipped, delivery.Dead, delivery.Discarded}}
		opened, err := many.reopen(t.Context(), seen)
		require.Zero(t, opened)
		return err
	}))
	for id, state := range stays {
		require.Equal(t, state, s.stateOf(id))
	}
}

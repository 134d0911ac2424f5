package redelivery

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestReplay_D10_BeginsANewCycleOfTheSameDelivery(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, age: 20 * time.Hour})
	s.exec(`UPDATE malote.endpoints SET url = 'https://moved.example' WHERE shard = $1`, endpoint.Shard())

	done := s.replay(w, replayOf(id, id))
	require.True(t, done.Done)
	require.Equal(t, []delivery.LaneRef{{Shard: endpoint.Shard(), EndpointID: endpoint}}, done.Lanes)
	require.Len(t, done.Results, 1)
	result := done.Results[0]
	require.Equal(t, Result{ID: id, State: delivery.Dead, Tenant: result.Tenant, EventID: result.EventID, EndpointID: endpoint, URL: "https://moved.example"}, result)

	require.Equal(t, delivery.Pending, s.stateOf(id))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.queue WHERE shard = $1 AND id = $2 AND endpoint_id = $3 AND event_id = $4
		AND tenant = 'acme' AND trigger = 'replay' AND rendering = 1 AND attempt_count = 7 AND cycle_attempt = 0
		AND cycle_first_attempt_at IS NULL AND claim_token IS NULL AND lease_until IS NULL AND coalesce_key IS NULL
		AND last_status = 503 AND last_error = 'http_status'
		AND next_attempt_at = cycle_started_at AND next_attempt_at BETWEEN now() - interval '1 minute' AND now()`,
		id.Shard(), id, endpoint, result.EventID))
}

func TestReplay_R05_RefusesWhatThePolicyDoesNotAllow(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	for _, state := range delivery.States {
		id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: state})
		done := s.replay(w, replayOf(id))
		require.Equal(t, state, done.Results[0].State)
		if state == delivery.Dead {
			require.True(t, done.Done)
			continue
		}
		require.False(t, done.Done, state)
		require.Equal(t, []Refusal{NotReplayable}, refusals(done), state)
		require.Equal(t, state, s.stateOf(id))
		require.Empty(t, done.Lanes)
	}
	delivered := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Delivered})
	request := replayOf(delivered)
	request.Allowed = func(string, delivery.State) bool { return true }
	require.True(t, s.replay(w, request).Done)
}

func TestReplay_RefusesWithAReason(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	deleted, disabled, byUser, paused := s.endpoint("acme"), s.endpoint("acme"), s.endpoint("acme"), s.endpoint("acme")
	for endpoint, status := range map[delivery.ID]delivery.EndpointStatus{
		deleted: delivery.Deleted, disabled: delivery.DisabledBySystem, byUser: delivery.DisabledByUser, paused: delivery.Paused,
	} {
		s.exec(`UPDATE malote.lanes SET status = $3 WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint, status)
	}
	dead := func(endpoint delivery.ID) delivery.ID {
		return s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	}
	expired := dead(paused)
	s.exec(`DELETE FROM malote.events e USING malote.deliveries d WHERE d.shard = $1 AND d.id = $2 AND e.shard = d.shard AND e.id = d.event_id`,
		expired.Shard(), expired)
	for _, c := range []struct {
		id   delivery.ID
		want Refusal
	}{
		{delivery.FloorID(time.Now()), NotFound},
		{s.delivery(row{tenant: "acme", state: delivery.Skipped}), NoEndpoint},
		{dead(deleted), EndpointDeleted},
		{dead(disabled), EndpointDisabled},
		{dead(byUser), EndpointDisabled},
		{expired, EventExpired},
		{dead(paused), ""},
	} {
		done := s.replay(w, replayOf(c.id))
		require.Equal(t, []Refusal{c.want}, refusals(done))
		require.Equal(t, c.want == "", done.Done)
	}
}

func TestReplay_OtherTenantsDoNotExist(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	id := s.delivery(row{tenant: "acme", endpoint: s.endpoint("acme"), state: delivery.Dead})
	request := replayOf(id)
	request.Tenant = "intruder"
	require.Equal(t, []Result{{ID: id, Refusal: NotFound}}, s.replay(w, request).Results)
	request.Tenant = "acme"
	require.True(t, s.replay(w, request).Done)
}

func TestReplay_AllOrNothing(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	acme, other := s.endpoint("acme"), s.endpoint("other") // two shards
	good, alsoGood := s.delivery(row{tenant: "acme", endpoint: acme, state: delivery.Dead}), s.delivery(row{tenant: "other", endpoint: other, state: delivery.Dead})
	bad := s.delivery(row{tenant: "other", endpoint: other, state: delivery.Delivered})

	done := s.replay(w, replayOf(good, bad, alsoGood))
	require.False(t, done.Done)
	require.Equal(t, []Refusal{"", NotReplayable, ""}, refusals(done))
	require.Equal(t, delivery.Dead, s.stateOf(good))
	require.Equal(t, delivery.Dead, s.stateOf(alsoGood))

	done = s.replay(w, replayOf(alsoGood, good))
	require.True(t, done.Done)
	require.Len(t, done.Lanes, 2)
	require.Equal(t, delivery.Pending, s.stateOf(good))
	require.Equal(t, delivery.Pending, s.stateOf(alsoGood))
}

func TestReplay_D10_PreviewWritesNothing(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	request := replayOf(id, delivery.FloorID(time.Now()))
	request.Preview = true
	done := s.replay(w, request)
	require.False(t, done.Done)
	require.Empty(t, done.Lanes)
	require.Equal(t, []Refusal{"", NotFound}, refusals(done))
	require.Equal(t, "https://acme.example/hook", done.Results[0].URL)

	request.IDs = request.IDs[:1]
	require.Equal(t, []Refusal{""}, refusals(s.replay(w, request)))
	require.Equal(t, delivery.Dead, s.stateOf(id))
}

func TestReplay_BoundsOneRequest(t *testing.T) {
	t.Parallel()
	_, w := seeded(t)
	ids := make([]delivery.ID, MaxReplay+1)
	for i := range ids {
		ids[i] = delivery.FloorID(time.Now().Add(time.Duration(i) * time.Second))
	}
	_, err := w.Replay(t.Context(), replayOf(ids...))
	require.ErrorIs(t, err, ErrTooMany)
}

// Between the survey and the locks the endpoint is given another policy, and
// that one must be asked.
func TestReplay_AsksThePolicyOfTheMoment(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	id := s.delivery(row{tenant: "acme", endpoint: s.endpoint("acme"), state: delivery.Dead})
	var asked []string
	request := replayOf(id)
	request.Allowed = func(policy string, _ delivery.State) bool {
		asked = append(asked, policy)
		s.exec(`UPDATE malote.endpoints SET policy = 'stricter' WHERE shard = $1`, id.Shard())
		return policy == "strict"
	}
	require.Equal(t, []Refusal{NotReplayable}, refusals(s.replay(w, request)))
	require.Equal(t, []string{"strict", "stricter"}, asked)
	require.Equal(t, delivery.Dead, s.stateOf(id))
}

func TestReplay_OfTwoAtOnceOneWins(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	for range 10 {
		first := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
		second := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
		results := make([]Replay, 4)
		var racers sync.WaitGroup
		for i := range results {
			ids := []delivery.ID{first, second}
			if i%2 == 1 {
				ids = []delivery.ID{second, first}
			}
			racers.Go(func() { results[i] = s.replay(w, replayOf(ids...)) })
		}
		racers.Wait()
		wins := 0
		for _, done := range results {
			if done.Done {
				wins++
				continue
			}
			require.Equal(t, []Refusal{NotReplayable, NotReplayable}, refusals(done))
			require.Equal(t, delivery.Pending, done.Results[0].State)
		}
		require.Equal(t, 1, wins)
		require.Equal(t, delivery.Pending, s.stateOf(first))
		require.Equal(t, delivery.Pending, s.stateOf(second))
	}
}

// Somebody resolves the delivery while it is being replayed.
func TestReplay_WaitsForAResolve(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	id := s.delivery(row{tenant: "acme", endpoint: s.endpoint("acme"), state: delivery.Dead})
	tx := s.begin()
	_, err := tx.Exec(t.Context(), resolveSQL, id.Shard(), id, delivery.ResolvedByUser, "told the customer")
	require.NoError(t, err)
	answer := make(chan Replay, 1)
	go func() { answer <- s.replay(w, replayOf(id)) }()
	s.awaitLock()
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, []Refusal{NotReplayable}, refusals(<-answer))
	require.Equal(t, delivery.Resolved, s.stateOf(id))
}

// Somebody disables the endpoint while its delivery is being replayed.
func TestReplay_WaitsForTheLane(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead})
	tx := s.begin()
	_, err := tx.Exec(t.Context(), lockLanesSQL, endpoint.Shard(), []delivery.ID{endpoint})
	require.NoError(t, err)
	answer := make(chan Replay, 1)
	go func() { answer <- s.replay(w, replayOf(id)) }()
	s.awaitLock()
	_, err = tx.Exec(t.Context(), `UPDATE malote.lanes SET status = 'disabled_by_user' WHERE shard = $1 AND endpoint_id = $2`, endpoint.Shard(), endpoint)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, []Refusal{EndpointDisabled}, refusals(<-answer))
}

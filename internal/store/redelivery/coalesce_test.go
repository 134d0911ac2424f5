package redelivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestReplay_F13_WithOpenDeliveriesOfTheSameEntity(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	for _, c := range []struct {
		name       string
		rivalAge   time.Duration // the dead one is an hour old
		rivalState delivery.State
		refused    Refusal
		rivalEnds  delivery.State
	}{
		{"a newer one is pending", time.Minute, delivery.Pending, Superseded, delivery.Pending},
		{"a newer one is being sent", time.Minute, delivery.Sending, Superseded, delivery.Sending},
		{"a newer one was delivered", time.Minute, delivery.Delivered, Superseded, delivery.Delivered},
		{"an older one was delivered", 2 * time.Hour, delivery.Delivered, "", delivery.Delivered},
		{"an older one is pending", 2 * time.Hour, delivery.Pending, "", delivery.Superseded},
		{"an older one is being sent", 2 * time.Hour, delivery.Sending, "", delivery.Sending},
	} {
		endpoint := s.endpoint("acme")
		id := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "K", age: time.Hour})
		rival := s.delivery(row{tenant: "acme", endpoint: endpoint, state: c.rivalState, key: "K", age: c.rivalAge})
		unrelated := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Pending, key: "L", age: time.Minute})

		done := s.replay(w, replayOf(id))
		require.Equal(t, []Refusal{c.refused}, refusals(done), c.name)
		require.Equal(t, c.rivalEnds, s.stateOf(rival), c.name)
		require.Equal(t, delivery.Pending, s.stateOf(unrelated), c.name)
		if c.rivalEnds == delivery.Superseded {
			require.Equal(t, 1, s.count(`SELECT count(*) FROM malote.deliveries WHERE shard = $1 AND id = $2
				AND reason = 'replaced_by_newer' AND superseded_by = $3 AND coalesce_key = 'K'`, rival.Shard(), rival, id), c.name)
		}
	}
}

func TestReplay_F13_OfSeveralOfOneEntityOnlyTheNewest(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	var ids []delivery.ID
	for _, age := range []time.Duration{2 * time.Hour, time.Hour, 3 * time.Hour} {
		ids = append(ids, s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "K", age: age}))
	}
	require.Equal(t, []Refusal{Superseded, "", Superseded}, refusals(s.replay(w, replayOf(ids...))))
	require.True(t, s.replay(w, replayOf(ids[2])).Done)
	require.True(t, s.replay(w, replayOf(ids[1])).Done)
	require.Equal(t, []Refusal{Superseded}, refusals(s.replay(w, replayOf(ids[0]))))
	require.Equal(t, delivery.Superseded, s.stateOf(ids[2]))
}

// A publisher has put a newer delivery of the entity into the queue and has not
// committed yet: the replay collides with it, and must not win.
func TestReplay_F13_CollidesWithAPublish(t *testing.T) {
	t.Parallel()
	s, w := seeded(t)
	endpoint := s.endpoint("acme")
	old := s.delivery(row{tenant: "acme", endpoint: endpoint, state: delivery.Dead, key: "K", age: time.Hour})
	fresh := delivery.FloorID(time.Now())
	fresh[14], fresh[15] = endpoint[14], endpoint[15]
	tx := s.begin()
	_, err := tx.Exec(t.Context(), `INSERT INTO malote.queue (shard, id, endpoint_id, event_id, tenant, status, trigger,
		next_attempt_at, cycle_started_at, coalesce_key) VALUES ($1, $2, $3, $2, 'acme', 'pending', 'schedule', now(), now(), 'K')`,
		endpoint.Shard(), fresh, endpoint)
	require.NoError(t, err)
	answer := make(chan Replay, 1)
	go func() { answer <- s.replay(w, replayOf(old)) }()
	s.awaitLock()
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, []Refusal{Superseded}, refusals(<-answer))
	require.Equal(t, delivery.Dead, s.stateOf(old))
	require.Equal(t, delivery.Pending, s.stateOf(fresh))
}

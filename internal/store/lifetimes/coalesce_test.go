package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/redelivery"
)

// Trap (a): A is being sent when B comes, and fails.
func TestFairQueue_F13_FailedWhileANewerWaits(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.endpoint()
	a := l.publish(about("order-7"), saying("old"))
	fact := l.publish(saying("a fact"))
	sending := l.claimTogether()
	require.Len(t, sending, 2)
	b := l.publish(about("order-7"), saying("new"))
	require.Empty(t, l.claimTogether(), "one entity's deliveries go out one after another")
	require.Equal(t, delivery.Sending, l.became(a).State)

	l.finish(l.next(), sending, status(500))
	ended := l.became(a)
	require.Equal(t, delivery.Superseded, ended.State)
	require.Equal(t, delivery.ReplacedByNewer, ended.Reason)
	require.Equal(t, l.became(b).ID, ended.SupersededBy)
	require.Equal(t, 1, ended.AttemptCount)
	require.Equal(t, delivery.Pending, l.became(fact).State, "a fact is never coalesced")

	require.Len(t, l.claimTogether(), 1, "the queue goes on at once")
	l.clock.Advance(t, 2*time.Minute) // whose worker is lost
	l.live(time.Hour, status(200))
	require.Equal(t, map[delivery.State]int{delivery.Delivered: 2, delivery.Superseded: 1}, l.states())
	require.Equal(t, "new", l.received[len(l.received)-1].body)
}

// Trap (b): what replaces has its own id, time and age.
func TestFairQueue_F13_TheNewerHasItsOwnAge(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.random = always(0)
	l.endpoint()
	old := l.publish(about("order-7"), saying("old"))
	const spent = 65 * time.Hour
	l.live(spent, askingFor(503, "21600")) // eleven attempts, and little of its 72 hours left
	require.Equal(t, 11, l.became(old).AttemptCount)

	fresh := l.publish(about("order-7"), saying("new"))
	require.Equal(t, delivery.Superseded, l.became(old).State)
	found := l.became(fresh)
	require.Equal(t, delivery.Pending, found.State)
	require.Zero(t, found.AttemptCount)
	require.WithinDuration(t, start.Add(spent), found.CreatedAt, time.Second)
	require.WithinDuration(t, start.Add(spent), found.NextAttemptAt, time.Second, "it does not wait for the old one's retry")

	l.live(40*time.Hour, status(500))
	require.Equal(t, times(leastFairQueue)[:8], truncated(l.sent(fresh, spent))[:8])
	require.Equal(t, delivery.AttemptsExhausted, l.became(fresh).Reason, "all twenty attempts are its own")
	require.Equal(t, 20, l.became(fresh).AttemptCount)
	for _, a := range l.received {
		require.Equal(t, a.event == fresh, a.body == "new")
	}
}

// A stopped endpoint's queue is as long as the number of entities that changed.
func TestFairQueue_F13_AStoppedEndpointsQueue(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.endpoint()
	for range day / (3 * time.Hour) {
		for _, entity := range []string{"a", "b", "c"} {
			l.publish(about(entity), saying(entity+l.clock.Now().Format(time.RFC3339)))
		}
		l.live(3*time.Hour, failing(delivery.ConnectRefused))
		require.Equal(t, 3, l.states()[delivery.Pending])
	}
	l.live(6*time.Hour, status(200))
	require.Len(t, l.received, 3)
	for _, a := range l.received {
		require.Equal(t, l.clock.Now().Add(-9*time.Hour).Format(time.RFC3339), a.body[1:], "the newest of each")
	}
}

// Whoever replays the older one while the newer is on its way, is refused.
func TestFairQueue_F13_ReplayedWhileANewerIsOnItsWay(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.endpoint()
	old := l.publish(about("order-7"), saying("old"))
	l.turn(status(413))
	require.Equal(t, delivery.Dead, l.became(old).State)
	l.publish(about("order-7"), saying("new"))
	require.Equal(t, redelivery.Superseded, l.replay(l.became(old).ID).Results[0].Refusal)
	sending := l.claimTogether()
	require.Equal(t, redelivery.Superseded, l.replay(l.became(old).ID).Results[0].Refusal)
	l.finish(l.next(), sending, status(500))
	require.Equal(t, redelivery.Superseded, l.replay(l.became(old).ID).Results[0].Refusal)
	l.live(time.Hour, status(200))
	require.Equal(t, "new", l.received[len(l.received)-1].body)
}

// An older state must not arrive after a newer one, not even on a person's word.
func TestFairQueue_F13_AReplayOfAnOlderStateIsRefusedOnceTheNewerArrived(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.endpoint()
	old := l.publish(about("order-7"), saying("old"))
	l.turn(status(413)) // dead
	l.publish(about("order-7"), saying("new"))
	l.turn(status(200))
	answer := l.replay(l.became(old).ID)
	l.live(time.Hour, status(200))
	require.Equal(t, "new", l.received[len(l.received)-1].body)
	require.Equal(t, redelivery.Superseded, answer.Results[0].Refusal)
}

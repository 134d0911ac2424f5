package lifetimes

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/registry"
)

// No status is definitive (D02), and how long an answer takes shifts nothing.
var everyFailure = []answer{
	statusAfter(500, 9*time.Second), statusAfter(410, time.Second), status(400), statusAfter(302, 3*time.Second),
	statusAfter(401, 2*time.Second), func(*delivery.Claim) delivery.Outcome {
		return delivery.Outcome{Error: delivery.Timeout, Duration: 10 * time.Second}
	},
}

const (
	leastDracma = "0:00:00 0:00:30 0:02:30 0:12:30 0:42:30 1:42:30 3:42:30 7:42:30 15:42:30 " +
		"23:42:30 31:42:30 39:42:30 47:42:30 55:42:30 63:42:30 71:42:30"
	// Every wait a tenth longer: 33 s, 2:12, 11 min, 33 min, 66 min, …, 8:48:00.
	mostDracma = "0:00:00 0:00:33 0:02:45 0:13:45 0:46:45 1:52:45 4:04:45 8:28:45 17:16:45 " +
		"26:04:45 34:52:45 43:40:45 52:28:45 61:16:45 70:04:45"
)

func TestDracma_D04_D05_D02_AlwaysFailing(t *testing.T) {
	l := newLife(t, "dracma")
	for _, c := range []struct {
		title  string
		jitter float64
		want   string
	}{
		{"least jitter: sixteen attempts", 0, leastDracma},
		{"most jitter: fifteen attempts", 1, mostDracma},
	} {
		l.chapter(c.title)
		l.random = always(c.jitter)
		event := l.publish(only(l.endpoint()))
		l.live(100*time.Hour, inTurn(everyFailure...))
		want := times(c.want)
		require.Equal(t, want, truncated(l.sent(event, 0)))
		found := l.became(event)
		require.Equal(t, delivery.Dead, found.State)
		require.Equal(t, delivery.TooOld, found.Reason)
		require.Equal(t, len(want), found.AttemptCount)
		require.WithinDuration(t, l.begin.Add(want[len(want)-1]), found.ClosedAt, 10*time.Second,
			"dead as soon as the last attempt failed")
	}
}

// truncated forgets what publishing took.
func truncated(list []time.Duration) []time.Duration {
	for i := range list {
		list[i] = list[i].Truncate(time.Millisecond)
	}
	return list
}

// A worker that comes late does not shift what follows.
func TestDracma_D04_LatenessDoesNotAccumulate(t *testing.T) {
	l := newLife(t, "dracma")
	l.random = always(0)
	l.endpoint()
	event := l.publish()
	l.turn(status(500))
	l.clock.Advance(t, 7*time.Minute) // nobody works
	l.live(time.Hour, status(500))
	want := times("0:00:00 0:07:00 0:07:00 0:12:30 0:42:30")
	require.Equal(t, want, truncated(l.sent(event, 0)))
}

// Deliveries are independent (D06), and each keeps to its own 72 hours.
func TestDracma_D05_FifteenOrSixteenWhateverTheJitter(t *testing.T) {
	l := newLife(t, "dracma")
	seed := rand.Uint64()
	t.Log("seed", seed)
	l.random = rand.New(rand.NewPCG(seed, 0)).Float64
	l.endpoint()
	var events []delivery.ID
	for range 6 {
		events = append(events, l.publish())
	}
	l.live(73*time.Hour, inTurn(everyFailure...))
	least, most := times(leastDracma), times(mostDracma)
	for _, event := range events {
		attempts := l.attempts(event)
		first := attempts[0].Outcome.StartedAt // microseconds after it was due: the cycle begins with it
		var jitter time.Duration               // of the fifteen waits, as far as they were drawn
		for i, a := range attempts {
			due := max(a.ScheduledAt.Sub(first), 0)
			require.GreaterOrEqual(t, due, least[i], "attempt %d", i+1)
			if i < len(most) {
				require.LessOrEqual(t, due, most[i], "attempt %d", i+1)
			}
			jitter = due - least[i]
		}
		// The jitter of fourteen waits is known of all; what the fifteenth drew
		// is, where it fitted in.
		require.Contains(t, []int{15, 16}, len(attempts))
		if len(attempts) == 16 {
			require.LessOrEqual(t, jitter, 17*time.Minute+30*time.Second)
		} else {
			require.Greater(t, jitter+48*time.Minute, 17*time.Minute+30*time.Second)
		}
		require.Equal(t, delivery.TooOld, l.became(event).Reason)
	}
}

func TestDracma_D10_AReplayIsANewCycle(t *testing.T) {
	l := newLife(t, "dracma")
	l.random = always(0)
	endpoint := l.endpoint()
	const body = `{"total": 1.0, "n": 12345678901234567890,  "z":"\u0000` + "\xff" + `"}`
	event := l.publish(saying(body))
	l.live(80*time.Hour, status(503))
	require.Equal(t, delivery.Dead, l.became(event).State)
	require.Len(t, l.sent(event, 0), 16)

	l.move(endpoint, "https://hooks.example.com/2")
	for range 2 { // as often as somebody likes
		before := l.clock.Now().Sub(start)
		dead := l.became(event)
		answer := l.replay(dead.ID)
		require.True(t, answer.Done)
		require.Equal(t, "https://hooks.example.com/2", answer.Results[0].URL)
		require.Equal(t, delivery.Pending, l.became(event).State)
		l.live(80*time.Hour, status(503))
		require.Equal(t, times(leastDracma), truncated(l.sent(event, before)), "72 hours anew")
		require.Equal(t, delivery.TooOld, l.became(event).Reason)
		require.Equal(t, dead.ID, l.became(event).ID)
	}

	l.move(endpoint, "https://hooks.example.com/3")
	require.True(t, l.replay(l.became(event).ID).Done)
	l.live(time.Minute, status(200))
	require.Equal(t, delivery.Delivered, l.became(event).State)
	require.Len(t, l.received, 3*16+1)
	for i, a := range l.received {
		require.Equal(t, body, a.body, "the same bytes")
		require.Equal(t, event, a.event)
		require.Equal(t, i+1, a.attempt, "the log of a delivery goes on")
		want := "https://hooks.example.com/" + map[int]string{0: "1", 1: "2", 2: "2", 3: "3"}[i/16]
		require.Equal(t, want, a.url, "the URL of the moment")
		require.Equal(t, i >= 16, a.trigger == delivery.TriggerReplay)
	}
	require.Len(t, l.attempts(event), len(l.received))
}

func (l *life) move(endpoint delivery.ID, url string) {
	l.Helper()
	_, err := l.registry.UpdateEndpoint(l.Context(), registry.AnyTenant, endpoint, registry.EndpointPatch{URL: &url}, l.defaults())
	require.NoError(l, err)
}

// What was published while nobody was there is not sent later.
func TestDracma_D07_NotRetroactive(t *testing.T) {
	l := newLife(t, "dracma")
	before := l.publish()
	l.endpoint()
	after := l.publish()
	l.live(80*time.Hour, status(200))
	require.Equal(t, delivery.Skipped, l.became(before).State)
	require.Equal(t, delivery.NoEndpoint, l.became(before).Reason)
	require.Equal(t, delivery.Delivered, l.became(after).State)
	require.Len(t, l.received, 1)
	require.False(t, l.replay(l.became(before).ID).Done, "there is nowhere to send it")
}

// Attempts that fail before the POST count like any other.
func TestDracma_D13_AttemptsThatSendNothing(t *testing.T) {
	l := newLife(t, "dracma")
	l.random = always(0)
	l.endpoint()
	event := l.publish()
	causes := []delivery.ErrorCode{delivery.NoSecret, delivery.URLNotAllowed, delivery.BlockedAddress}
	l.live(80*time.Hour, inTurn(failing(causes[0]), failing(causes[1]), failing(causes[2])))
	require.Empty(t, l.received)
	require.Equal(t, delivery.TooOld, l.became(event).Reason)
	attempts := l.attempts(event)
	require.Len(t, attempts, 16)
	for i, a := range attempts {
		require.InDelta(t, times(leastDracma)[i], a.ScheduledAt.Sub(start), float64(time.Millisecond))
		require.Equal(t, causes[i%len(causes)], a.Outcome.Error)
	}
}

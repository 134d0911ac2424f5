package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// The waits after attempts 1…19 are 30 s, doubled each time, at most 6 h.
const (
	mostFairQueue = "0:00:00 0:00:30 0:01:30 0:03:30 0:07:30 0:15:30 0:31:30 1:03:30 2:07:30 4:15:30 8:31:30 " +
		"14:31:30 20:31:30 26:31:30 32:31:30 38:31:30 44:31:30 50:31:30 56:31:30 62:31:30"
	leastFairQueue = "0:00:00 0:00:15 0:00:45 0:01:45 0:03:45 0:07:45 0:15:45 0:31:45 1:03:45 2:07:45 4:15:45 " +
		"7:15:45 10:15:45 13:15:45 16:15:45 19:15:45 22:15:45 25:15:45 28:15:45 31:15:45"
)

func TestFairQueue_F07_F08_TwentyAttempts(t *testing.T) {
	l := newLife(t, "fair-queue")
	for _, c := range []struct {
		title  string
		jitter float64
		want   string
	}{{"least jitter", 0, leastFairQueue}, {"most jitter", 1, mostFairQueue}} {
		l.chapter(c.title)
		l.random = always(c.jitter)
		endpoint := l.endpoint()
		event := l.publish(only(endpoint))
		l.live(72*time.Hour, inTurn(status(500), status(404), status(301), failing(delivery.Timeout)))
		require.Equal(t, times(c.want), truncated(l.sent(event, 0)))
		found := l.became(event)
		require.Equal(t, delivery.Dead, found.State)
		require.Equal(t, delivery.AttemptsExhausted, found.Reason)
		require.Equal(t, 20, found.AttemptCount)

		l.live(5*day, status(200))
		require.Len(t, l.received, 20, "dead until somebody resends it")
		require.True(t, l.replay(found.ID).Done)
		l.live(2*time.Hour, status(200)) // the circuit had opened at the twentieth failure
		require.Equal(t, delivery.Delivered, l.became(event).State)
		require.Equal(t, event, l.received[20].event)
		require.Zero(t, l.health(endpoint).ConsecutiveFailures)
	}
}

// Whoever asks for a day gets six hours, and 72 hours of age are the end.
func TestFairQueue_F08_SeventyTwoHoursOfAge(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.endpoint()
	event := l.publish()
	l.clock.Advance(t, 17*time.Minute) // age counts from acceptance, not from the first attempt
	l.live(100*time.Hour, askingFor(503, "86400"))
	require.Equal(t, times("0:17:00 6:17:00 12:17:00 18:17:00 24:17:00 30:17:00 36:17:00 42:17:00 48:17:00 54:17:00 60:17:00 66:17:00"),
		truncated(l.sent(event, 0)))
	found := l.became(event)
	require.Equal(t, delivery.Dead, found.State)
	require.Equal(t, delivery.TooOld, found.Reason)
	require.WithinDuration(t, start.Add(66*time.Hour+17*time.Minute), found.ClosedAt, time.Second)
}

func TestFairQueue_F09_413And410(t *testing.T) {
	l := newLife(t, "fair-queue")
	endpoint := l.endpoint()
	tooLarge, gone, waiting := l.publish(), l.publish(), l.publish()
	l.turn(inTurn(status(413), status(410), status(500)))
	require.Equal(t, delivery.TooLarge, l.became(tooLarge).Reason)
	require.Equal(t, delivery.Gone, l.became(gone).Reason)
	health := l.health(endpoint)
	require.Equal(t, delivery.DisabledBySystem, health.Status)
	require.Equal(t, string(circuit.DisabledGone), health.DisabledReason)

	l.live(30*24*time.Hour, status(200))
	require.Len(t, l.received, 3)
	require.Equal(t, delivery.Pending, l.became(waiting).State)
	require.Equal(t, map[delivery.State]int{delivery.Dead: 2, delivery.Pending: 1}, l.states())
}

// k = 20 … and the pauses that follow from it, over two processes.
func TestFairQueue_F11_PausesGrowWithTheFailures(t *testing.T) {
	l := newLife(t, "fair-queue")
	endpoint := l.endpoint()
	for range 30 {
		l.publish()
	}
	for range 5 {
		require.Len(t, l.turn(status(500)), 4)
	}
	for _, minutes := range []time.Duration{1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57, 60, 60} {
		pause := minutes * time.Minute
		require.Equal(t, l.clock.Now().Add(pause), l.health(endpoint).PausedUntil)
		l.clock.Advance(t, pause-time.Microsecond)
		l.publish() // new work does not wake it before its time; a microsecond passes
		l.sweep()
		probes := l.claimTogether()
		require.Len(t, probes, 4, "max_in_flight probes over both processes")
		l.finish(l.next(), probes, status(503))
	}
	l.clock.Advance(t, time.Hour)
	probes := l.claimTogether()
	require.Len(t, probes, 4)
	l.finish(l.next(), probes[:1], status(204))
	require.Zero(t, l.health(endpoint).ConsecutiveFailures)
	normal := l.claimTogether()
	require.Len(t, normal, 1, "three probes are still under way")
	l.finish(l.next(), append(probes[1:], normal...), status(200))
	l.live(12*time.Hour, status(200))
	require.Equal(t, map[delivery.State]int{delivery.Delivered: 30 + 17}, l.states())
}

// While it is paused, nobody claims; a microsecond before the end is before it.
func TestFairQueue_F11_ThePauseHoldsForBothProcesses(t *testing.T) {
	l := newLife(t, "fair-queue")
	l.endpoint()
	for range 24 {
		l.publish()
	}
	for range 5 {
		l.turn(status(500))
	}
	for range 60 {
		require.Empty(t, l.claimTogether())
		l.clock.Advance(t, time.Second-time.Microsecond)
		l.sweep()
		require.Empty(t, l.claimTogether())
		l.clock.Advance(t, time.Microsecond)
	}
	require.Len(t, l.claimTogether(), 4)
}

func TestFairQueue_F12_AMinuteAfterTheClaim(t *testing.T) {
	l := newLife(t, "fair-queue")
	endpoint := l.endpoint()
	event := l.publish()
	lost := l.claim(l.processes[0]).Claims // whose worker sends, and is never heard of again
	require.Len(t, lost, 1)
	late := l.outcomes(lost, status(500))

	l.clock.Advance(t, time.Minute)
	require.Zero(t, l.rescue(), "its minute is not over")
	require.Equal(t, delivery.Sending, l.became(event).State)
	require.Empty(t, l.claimTogether())
	l.clock.Advance(t, time.Microsecond)
	require.Equal(t, 1, l.rescue())
	again := l.claimTogether()
	require.Len(t, again, 1, "at once: the receiver is not to blame")

	// It comes back after all, and changes nothing; what happened is recorded.
	result := l.record(l.processes[0], late)
	require.Equal(t, 1, result.Lost)
	require.Equal(t, delivery.Sending, l.became(event).State)
	l.finish(l.processes[1], again, status(200))
	require.Equal(t, delivery.Delivered, l.became(event).State)

	require.Len(t, l.received, 2, "the receiver saw it twice")
	require.Equal(t, l.received[0].event, l.received[1].event, "with the same webhook-id")
	require.Equal(t, []int{1, 2}, []int{l.received[0].attempt, l.received[1].attempt})
	attempts := l.attempts(event)
	require.Len(t, attempts, 2)
	require.Equal(t, 500, attempts[0].Outcome.Status)
	require.Zero(t, l.health(endpoint).ConsecutiveFailures, "a lost claim says nothing about the endpoint")
}

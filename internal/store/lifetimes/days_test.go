package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/registry"
)

// What became of a delivery can be read for thirty days, down to its bytes.
func TestRouta_R04_ReadableForThirtyDays(t *testing.T) {
	l := newLife(t, "routa")
	l.random = always(0.5)
	endpoint := l.endpoint()
	good, bad := l.publish(saying(`{"n": 1.0}`)), l.publish(saying(`{"n": 2.0}`))
	l.live(day, func(c *delivery.Claim) delivery.Outcome {
		if c.Event.ID == good {
			return delivery.Outcome{Status: 204, Duration: 40 * time.Millisecond}
		}
		return delivery.Outcome{Status: 503, Response: []byte("busy"), Duration: 3 * time.Second}
	})
	for range 29 {
		l.clock.Advance(t, day) // and nobody does anything, but partitions are made
	}
	l.sweep()

	require.Equal(t, delivery.Delivered, l.became(good).State)
	dead := l.became(bad)
	require.Equal(t, delivery.Dead, dead.State)
	require.Equal(t, 503, dead.LastStatus)
	require.Equal(t, endpoint, dead.EndpointID)
	attempts := l.attempts(bad)
	require.Len(t, attempts, 8)
	for i, due := range times("0:00:00 0:01:00 0:05:00 0:20:00 1:00:00 3:00:00 9:00:00 20:00:00") {
		require.InDelta(t, due.Seconds(), attempts[i].ScheduledAt.Sub(start).Seconds(), 30, "with three seconds for each answer")
		require.Equal(t, "busy", string(attempts[i].Outcome.Response))
		require.Equal(t, 3*time.Second, attempts[i].Outcome.Duration)
	}
	body, _, err := l.history.EventBody(t.Context(), bad)
	require.NoError(t, err)
	require.Equal(t, `{"n": 2.0}`, string(body))

	require.True(t, l.replay(dead.ID).Done, "and it can be replayed")
	l.live(time.Minute, status(200))
	require.Equal(t, delivery.Delivered, l.became(bad).State)
	require.Equal(t, `{"n": 2.0}`, l.received[len(l.received)-1].body)
}

// A pending delivery of an endpoint that somebody disabled or paused waits as
// long as it takes, longer than the window in which a failing one would die.
func TestFairQueue_F14_PendingStaysForThirtyDays(t *testing.T) {
	l := newLife(t, "fair-queue")
	for _, c := range []struct {
		title      string
		stop, undo registry.StatusChange
	}{{"disabled", registry.DisableByUser, registry.Enable}, {"paused", registry.Pause, registry.Resume}} {
		l.chapter(c.title)
		endpoint := l.endpoint()
		events := []delivery.ID{l.publish(only(endpoint)), l.publish(only(endpoint), about("order-7"))}
		l.turn(status(500))
		events = append(events, l.publish(only(endpoint)))
		l.set(endpoint, c.stop)
		l.live(31*day, status(200))
		require.Len(t, l.received, 2)
		require.Equal(t, events, l.pendingOf(events))
		l.set(endpoint, c.undo)
		l.live(time.Minute, status(200))
		for _, event := range events {
			require.Equal(t, delivery.Delivered, l.became(event).State)
		}
	}
}

package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestStandard_S02_TenAttempts(t *testing.T) {
	l := newLife(t, "standard")
	for _, c := range []struct {
		title  string
		jitter float64
		want   string // 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h after one another
	}{
		{"no jitter", 0.5, "0:00:00 0:00:05 0:05:05 0:35:05 2:35:05 7:35:05 17:35:05 31:35:05 51:35:05 75:35:05"},
		{"least jitter", 0, "0:00:00 0:00:04 0:04:04 0:28:04 2:04:04 6:04:04 14:04:04 25:16:04 41:16:04 60:28:04"},
		{"most jitter", 1, "0:00:00 0:00:06 0:06:06 0:42:06 3:06:06 9:06:06 21:06:06 37:54:06 61:54:06 90:42:06"},
	} {
		l.chapter(c.title)
		l.random = always(c.jitter)
		event := l.publish(only(l.endpoint()))
		l.live(10*day, inTurn(status(500), status(404), status(302), failing(delivery.Timeout)))
		require.Equal(t, times(c.want), truncated(l.sent(event, 0)))
		require.Equal(t, delivery.AttemptsExhausted, l.became(event).Reason)
	}
}

func TestStandard_S03_410RetryAfterAndSlowDown(t *testing.T) {
	l := newLife(t, "standard")
	endpoint := l.endpoint()
	drafts := make([]*delivery.Draft, 40)
	for i := range drafts {
		drafts[i] = draft()
	}
	l.publishAll(drafts...)
	claims := l.claimTogether()
	require.Len(t, claims, 10)
	floored := claims[0].Event.ID
	l.finish(l.next(), claims[:1], askingFor(429, "172800"))
	l.finish(l.next(), claims[1:], status(500)) // stragglers, and ten failures in a row
	l.clock.Advance(t, 30*time.Second)
	l.finish(l.next(), l.claimTogether(), status(200)) // the probe
	require.Len(t, l.claimTogether(), 5, "half of the limit")
	l.clock.Advance(t, time.Minute+time.Microsecond)
	require.Equal(t, 5, l.rescue())

	l.live(23*time.Hour, status(200))
	require.Equal(t, map[delivery.State]int{delivery.Delivered: 39, delivery.Pending: 1}, l.states())
	require.Equal(t, day, l.became(floored).NextAttemptAt.Sub(start).Truncate(time.Second), "a floor, capped at 24 h")
	l.live(2*time.Hour, status(410))
	require.Equal(t, delivery.Gone, l.became(floored).Reason)
	require.Equal(t, delivery.DisabledBySystem, l.health(endpoint).Status)
}

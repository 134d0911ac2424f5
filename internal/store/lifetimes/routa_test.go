package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
)

// The preset's waits are 1, 4, 15 and 40 min, 2, 6 and 11 h, each ±20 %.
func TestRouta_R01_EightAttemptsOverTwentyHours(t *testing.T) {
	l := newLife(t, "routa")
	for _, c := range []struct {
		title  string
		jitter float64
		want   string
	}{
		{"no jitter", 0.5, "0:00:00 0:01:00 0:05:00 0:20:00 1:00:00 3:00:00 9:00:00 20:00:00"},
		{"least jitter", 0, "0:00:00 0:00:48 0:04:00 0:16:00 0:48:00 2:24:00 7:12:00 16:00:00"},
		{"most jitter", 1, "0:00:00 0:01:12 0:06:00 0:24:00 1:12:00 3:36:00 10:48:00 24:00:00"},
	} {
		l.chapter(c.title)
		l.random = always(c.jitter)
		endpoint := l.endpoint()
		event := l.publish(only(endpoint))
		// R03: every 4xx but 410 is retried.
		l.live(day+time.Hour, inTurn(status(400), status(404), status(500), failing(delivery.Timeout), status(451)))
		require.Equal(t, times(c.want), truncated(l.sent(event, 0)))
		require.Equal(t, delivery.AttemptsExhausted, l.became(event).Reason)
		require.Equal(t, 8, l.health(endpoint).ConsecutiveFailures)
		require.Equal(t, delivery.Active, l.health(endpoint).Status, "a day without success, but too few attempts (R06)")
	}
}

func TestRouta_R03_410AbandonsTheDeliveryAlone(t *testing.T) {
	l := newLife(t, "routa")
	endpoint := l.endpoint()
	gone := l.publish()
	l.turn(status(410))
	require.Equal(t, delivery.Dead, l.became(gone).State)
	require.Equal(t, delivery.Gone, l.became(gone).Reason)
	require.Equal(t, delivery.Active, l.health(endpoint).Status)
	l.publish()
	l.live(day, status(200))
	require.Len(t, l.received, 2)
}

// The hundredth failure in a row, and no other, disables.
func TestRouta_R06_AHundredFailuresInARow(t *testing.T) {
	l := newLife(t, "routa")
	l.random = always(0.5)
	endpoint := l.endpoint()
	publishMany := func(n int) (events []delivery.ID) {
		drafts := make([]*delivery.Draft, n)
		for i := range drafts {
			drafts[i] = draft()
		}
		return l.publishAll(drafts...)
	}
	publishMany(59)
	for range 5 {
		require.Len(t, l.turn(status(500)), 10)
	}
	require.Len(t, l.turn(status(500)), 9)
	publishMany(1)
	l.turn(status(200)) // the sixtieth answer is a good one: the count begins anew
	require.Zero(t, l.health(endpoint).ConsecutiveFailures)

	dead := publishMany(4)
	l.turn(status(410))
	events := publishMany(110)
	for range 9 {
		l.turn(status(500))
	}
	require.Equal(t, 94, l.health(endpoint).ConsecutiveFailures)
	l.finish(l.next(), l.claimTogether()[:5], status(500))
	require.Equal(t, 99, l.health(endpoint).ConsecutiveFailures)
	require.Equal(t, delivery.Active, l.health(endpoint).Status)
	l.finish(l.next(), l.claimTogether()[:1], status(500))
	require.Equal(t, delivery.DisabledBySystem, l.health(endpoint).Status)
	require.Equal(t, "consecutive_failures", l.health(endpoint).DisabledReason)

	sent, pending := len(l.received), l.states()[delivery.Pending]
	logged := l.publish()
	require.Equal(t, delivery.Skipped, l.became(logged).State, "events are still logged")
	l.live(3*day, status(200))
	require.Len(t, l.received, sent, "pending deliveries stop")
	require.GreaterOrEqual(t, l.states()[delivery.Pending], pending)

	l.set(endpoint, registry.Enable)
	var ids []delivery.ID
	for _, event := range dead {
		ids = append(ids, l.became(event).ID)
	}
	require.True(t, l.replay(ids...).Done, "all dead ones in one batch")
	l.live(day, status(200))
	for _, event := range append(dead, events...) {
		require.Equal(t, delivery.Delivered, l.became(event).State)
	}
	require.Equal(t, redelivery.NotReplayable, l.replay(l.became(logged).ID).Results[0].Refusal, "only dead ones (R05)")
	require.Zero(t, l.health(endpoint).ConsecutiveFailures)
}

// A day without success and at least twenty attempts.
func TestRouta_R06_ADayWithoutSuccess(t *testing.T) {
	l := newLife(t, "routa")
	l.random = always(0.5)
	endpoint := l.endpoint()
	l.publish()
	l.live(time.Hour, status(200))
	l.failFor(23*time.Hour, 5*time.Hour, endpoint)
	require.Greater(t, l.health(endpoint).ConsecutiveFailures, 20)
	require.Equal(t, delivery.DisabledBySystem, l.health(endpoint).Status)
	news := l.toldOf(endpoint, failingKind, disabledKind)
	require.Len(t, news, 2)
	require.Equal(t, "failing_too_long", news[1].detail)
	require.GreaterOrEqual(t, news[1].after, time.Hour+day, "counted from the first failure")
	require.Less(t, news[1].after, time.Hour+day+2*time.Hour)
	require.Equal(t, time.Hour, l.health(endpoint).FirstFailureAt.Sub(start).Truncate(time.Second))

	l.set(endpoint, registry.Enable)
	l.live(day, status(200))
	require.Zero(t, l.states()[delivery.Pending])
	require.Equal(t, delivery.Active, l.health(endpoint).Status)
}

func TestRouta_R07_DisabledByUser(t *testing.T) {
	l := newLife(t, "routa")
	endpoint := l.endpoint()
	pending := l.publish()
	l.set(endpoint, registry.DisableByUser)
	missed := l.publish()
	l.live(2*day, status(200))
	require.Empty(t, l.received)
	require.Equal(t, delivery.Pending, l.became(pending).State)
	require.Equal(t, delivery.EndpointDisabled, l.became(missed).Reason)
	l.set(endpoint, registry.Enable)
	l.live(time.Minute, status(200))
	require.Equal(t, delivery.Delivered, l.became(pending).State)
}

// R09: ten slow answers in a row halve the limit, ten good ones double it.
func TestRouta_R09_SlowEndpointsAreSlowedDownAndSpedUp(t *testing.T) {
	l := newLife(t, "routa")
	l.endpoint()
	quick := l.endpoint()
	drafts := make([]*delivery.Draft, 250)
	for i := range drafts {
		drafts[i] = draft()
	}
	l.publishAll(drafts...)
	slow := func(limit int, took time.Duration, answers int) {
		for answers > 0 {
			claims := l.claimTogether()
			var own, others []*delivery.Claim
			for _, c := range claims {
				if c.Endpoint.ID == quick {
					others = append(others, c)
				} else {
					own = append(own, c)
				}
			}
			require.Len(t, own, limit)
			l.finish(l.next(), others, status(200)) // the others go on as ever
			l.finish(l.next(), own, statusAfter(200, took))
			answers -= limit
		}
	}
	slow(10, 4*time.Second, 20) // below half of the deadline: not slow
	slow(10, 6*time.Second, 10)
	slow(5, 6*time.Second, 10)
	slow(2, 6*time.Second, 10)
	slow(1, 6*time.Second, 12)
	slow(1, time.Second, 10)
	slow(2, time.Second, 10)
	slow(5, time.Second, 10)
	slow(10, time.Second, 20)
}

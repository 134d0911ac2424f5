package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/registry"
)

const (
	failingKind  = "endpoint_failing"
	disabledKind = "endpoint_disabled"
	day          = 24 * time.Hour
)

// toldOf are the signals of some kinds.
func (l *life) toldOf(endpoint delivery.ID, kinds ...string) (list []told) {
	l.Helper()
	for _, one := range l.told(endpoint) {
		for _, kind := range kinds {
			if one.kind == kind {
				list = append(list, one)
			}
		}
	}
	return list
}

// failFor publishes an event every so often to the endpoint, which fails and asks
// for six hours, and gives the events.
func (l *life) failFor(period, every time.Duration, endpoint delivery.ID) (events []delivery.ID) {
	l.Helper()
	for begin := l.clock.Now(); l.clock.Now().Before(begin.Add(period)); {
		events = append(events, l.publish(only(endpoint)))
		l.live(every, askingFor(503, "21600"))
	}
	return events
}

func oneAtATime(e *registry.NewEndpoint) { e.MaxInFlight = 1 }

// fiveDays is the rule of F14 and S08: warned after one and three days, disabled
// after five, by an attempt that fails, and everything pending is kept.
func fiveDays(t *testing.T, preset string) (l *life, endpoint delivery.ID, events []delivery.ID) {
	l = newLife(t, preset)
	endpoint = l.endpoint(oneAtATime)
	const every, attempts = 17 * time.Hour, 10 * time.Hour // attempts are more often than that
	events = l.failFor(5*day-time.Hour, every, endpoint)
	require.Equal(t, delivery.Active, l.health(endpoint).Status)
	require.Len(t, l.toldOf(endpoint, disabledKind), 0)
	events = append(events, l.failFor(attempts, attempts/2, endpoint)...)

	news := l.toldOf(endpoint, failingKind, disabledKind)
	require.Len(t, news, 3)
	for i, want := range []told{
		{failingKind, (24 * time.Hour).String(), day},
		{failingKind, (72 * time.Hour).String(), 3 * day},
		{disabledKind, "failing_too_long", 5 * day},
	} {
		require.Equal(t, want.kind, news[i].kind)
		require.Equal(t, want.detail, news[i].detail)
		// By the first failure after that.
		require.GreaterOrEqual(t, news[i].after, want.after)
		require.LessOrEqual(t, news[i].after, want.after+attempts)
	}
	health := l.health(endpoint)
	require.Equal(t, delivery.DisabledBySystem, health.Status)
	require.Equal(t, "failing_too_long", health.DisabledReason)
	return l, endpoint, events
}

// pendingOf are the events whose delivery waits.
func (l *life) pendingOf(events []delivery.ID) (pending []delivery.ID) {
	l.Helper()
	for _, event := range events {
		if l.became(event).State == delivery.Pending {
			pending = append(pending, event)
		}
	}
	return pending
}

func TestFairQueue_F14_FiveDaysThenSomebodyResends(t *testing.T) {
	l, endpoint, events := fiveDays(t, "fair-queue")
	pending := l.pendingOf(events)
	require.NotEmpty(t, pending)
	sent := len(l.received)
	missed := l.publish()
	require.Equal(t, delivery.EndpointDisabled, l.became(missed).Reason)

	l.live(30*day, status(200))
	require.Len(t, l.received, sent, "nothing goes to a disabled endpoint")
	require.Equal(t, pending, l.pendingOf(events), "they stay until somebody chooses")

	l.set(endpoint, registry.Enable)
	l.live(time.Hour, status(200))
	for _, event := range pending {
		require.Equal(t, delivery.Delivered, l.became(event).State)
	}
	require.Len(t, l.received, sent+len(pending))
	require.Equal(t, delivery.Skipped, l.became(missed).State)
	health := l.health(endpoint)
	require.Zero(t, health.ConsecutiveFailures)
	require.Equal(t, l.clock.Now().Add(-time.Hour).Truncate(time.Minute), health.LastSuccessAt.Truncate(time.Minute))
}

func TestFairQueue_F14_FiveDaysThenSomebodyDiscards(t *testing.T) {
	l, endpoint, events := fiveDays(t, "fair-queue")
	pending := l.pendingOf(events)
	sent := len(l.received)
	n, err := l.redelivery.Discard(t.Context(), endpoint)
	require.NoError(t, err)
	require.Equal(t, len(pending), n)
	l.set(endpoint, registry.Enable)
	l.live(day, status(200))
	for _, event := range pending {
		require.Equal(t, delivery.Discarded, l.became(event).State)
		require.Equal(t, delivery.DiscardedByUser, l.became(event).Reason)
	}
	require.Len(t, l.received, sent)
	l.publish()
	l.live(time.Minute, status(200))
	require.Len(t, l.received, sent+1, "what comes now is sent")
}

func TestStandard_S08_WarnedAtOneAndThreeDaysDisabledAtFive(t *testing.T) {
	l, endpoint, events := fiveDays(t, "standard")
	pending := l.pendingOf(events)
	require.NotEmpty(t, pending)
	l.set(endpoint, registry.Enable)
	require.Equal(t, pending, l.pendingOf(events), "its pending deliveries are kept")
	l.live(day+day/4, status(200)) // their own waits, the longest with its jitter
	require.Empty(t, l.pendingOf(events))
}

// One success in between, and the days count anew.
func TestStandard_S08_OneSuccessBeginsTheDaysAnew(t *testing.T) {
	l := newLife(t, "standard")
	endpoint := l.endpoint(oneAtATime)
	l.failFor(4*day, 20*time.Hour, endpoint)
	require.Len(t, l.toldOf(endpoint, failingKind), 2)
	l.live(day, status(200))
	require.Zero(t, l.health(endpoint).ConsecutiveFailures)
	l.failFor(4*day, 20*time.Hour, endpoint)
	require.Equal(t, delivery.Active, l.health(endpoint).Status)
	require.Len(t, l.toldOf(endpoint, failingKind), 4, "and so do the warnings")
	require.Empty(t, l.toldOf(endpoint, disabledKind))
}

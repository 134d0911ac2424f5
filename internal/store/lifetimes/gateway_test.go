package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestGateway_G06_FullJitterAndABudgetOfEight(t *testing.T) {
	l := newLife(t, "gateway")
	for _, c := range []struct {
		title  string
		jitter float64
		want   string // 30 s doubled, from attempt to attempt
	}{
		{"least jitter: no wait at all", 0, "0:00:00 0:00:00 0:00:00 0:00:00 0:00:00 0:00:00 0:00:00 0:00:00"},
		{"half of the jitter", 0.5, "0:00:00 0:00:15 0:00:45 0:01:45 0:03:45 0:07:45 0:15:45 0:31:45"},
		{"most jitter", 1, "0:00:00 0:00:30 0:01:30 0:03:30 0:07:30 0:15:30 0:31:30 1:03:30"},
	} {
		l.chapter(c.title)
		l.random = always(c.jitter)
		event := l.publish(only(l.endpoint()))
		l.live(4*day, inTurn(status(500), failing(delivery.Timeout), status(404)))
		require.Equal(t, times(c.want), truncated(l.sent(event, 0)))
		require.Equal(t, delivery.AttemptsExhausted, l.became(event).Reason)
	}
}

func TestGateway_G05_RetryAfterIsObeyed(t *testing.T) {
	l := newLife(t, "gateway")
	l.endpoint()
	event := l.publish()
	l.turn(askingFor(429, "1200"))
	l.live(1199*time.Second, status(200))
	require.Len(t, l.received, 1)
	l.live(time.Minute, status(200))
	require.Equal(t, times("0:00:00 0:20:00"), truncated(l.sent(event, 0)))
}

// outage fails until some time of the chapter, and answers well after it.
func (l *life) outage(until time.Duration) answer {
	return func(*delivery.Claim) delivery.Outcome {
		if l.clock.Now().Before(l.begin.Add(until)) {
			return delivery.Outcome{Status: 503}
		}
		return delivery.Outcome{Status: 200}
	}
}

// Half a minute of outage, with 300 deliveries that wait and more that come.
func TestGateway_G07_AnOutageSpendsAHandfulOfAttempts(t *testing.T) {
	l := newLife(t, "gateway")
	for _, c := range []struct {
		title  string
		outage time.Duration
		failed int // ten open the circuit; afterwards one probe a pause
	}{
		{"half a minute", 30 * time.Second, 10},
		{"ten minutes", 10 * time.Minute, 10 + 4}, // probes at 0:30, 1:30, 3:30, 7:30; the one at 15:30 gets through
	} {
		l.chapter(c.title)
		endpoint := l.endpoint()
		drafts := make([]*delivery.Draft, 300)
		for i := range drafts {
			drafts[i] = draft(only(endpoint))
		}
		published := len(l.publishAll(drafts...))
		before := l.states()[delivery.Delivered]
		for range 6 {
			l.live(5*time.Second, l.outage(c.outage))
			published += len(l.publishAll(draft(only(endpoint))))
		}
		l.live(time.Hour, l.outage(c.outage))
		require.Equal(t, map[delivery.State]int{delivery.Delivered: before + published}, l.states())
		require.Len(t, l.received, published+c.failed, "what was not sent spent no attempt")
		for _, a := range l.received {
			require.LessOrEqual(t, a.attempt, 1+c.failed-9, "of a budget of eight")
		}
		require.Len(t, l.toldOf(endpoint, "circuit_opened"), 1)
		require.Len(t, l.toldOf(endpoint, "circuit_closed"), 1)
	}
}

func TestGateway_G07_OneProbeOverBothProcesses(t *testing.T) {
	l := newLife(t, "gateway")
	l.endpoint()
	for range 40 {
		l.publish()
	}
	require.Len(t, l.turn(status(500)), 10)
	for _, pause := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		l.clock.Advance(t, pause-time.Microsecond)
		l.sweep()
		require.Empty(t, l.claimTogether())
		l.clock.Advance(t, time.Microsecond)
		probes := l.claimTogether()
		require.Len(t, probes, 1)
		l.publish()
		l.sweep()
		require.Empty(t, l.claimTogether(), "while it is under way")
		l.finish(l.next(), probes, status(500))
	}
	// The worker of a probe is lost: another probe goes, and nothing is known.
	l.clock.Advance(t, 8*time.Minute)
	require.Len(t, l.claimTogether(), 1)
	l.clock.Advance(t, time.Minute+time.Microsecond)
	require.Equal(t, 1, l.rescue())
	probes := l.claimTogether()
	require.Len(t, probes, 1)
	l.finish(l.next(), probes, status(200))
	require.Len(t, l.claimTogether(), 10, "closed")
}

// Every worker that claims dies, again and again.
func TestGateway_G10_DeadWorkersRowsComeBack(t *testing.T) {
	l := newLife(t, "gateway")
	endpoint := l.endpoint()
	for range 25 {
		l.publish()
	}
	for range 5 {
		require.Len(t, l.claimTogether(), 10)
		l.clock.Advance(t, time.Minute+time.Microsecond)
		require.Equal(t, 10, l.rescue())
		require.Equal(t, 25, l.states()[delivery.Pending])
	}
	require.Zero(t, l.health(endpoint).ConsecutiveFailures, "the endpoint is not to blame")
	l.live(time.Minute, status(200))
	require.Equal(t, map[delivery.State]int{delivery.Delivered: 25}, l.states())
}

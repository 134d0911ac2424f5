package lifetimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
)

func TestAxxos_A03_NinePostsOver31Hours(t *testing.T) {
	l := newLife(t, "axxos")
	for _, c := range []struct {
		title  string
		jitter float64
		want   string // 30 s, 1, 2, 5, 15 min, 1, 6, 24 h after one another
	}{
		{"no jitter", 0.5, "0:00:00 0:00:30 0:01:30 0:03:30 0:08:30 0:23:30 1:23:30 7:23:30 31:23:30"},
		{"least jitter", 0, "0:00:00 0:00:24 0:01:12 0:02:48 0:06:48 0:18:48 1:06:48 5:54:48 25:06:48"},
		{"most jitter", 1, "0:00:00 0:00:36 0:01:48 0:04:12 0:10:12 0:28:12 1:40:12 8:52:12 37:40:12"},
	} {
		l.chapter(c.title)
		l.random = always(c.jitter)
		event := l.publish(only(l.endpoint()))
		l.live(3*day, inTurn(status(500), status(408), failing(delivery.Reset), status(429)))
		require.Equal(t, times(c.want), truncated(l.sent(event, 0)))
		require.Equal(t, delivery.AttemptsExhausted, l.became(event).Reason)
		require.Equal(t, 9, l.became(event).AttemptCount)

		// A07: resend puts it back in the queue.
		require.True(t, l.replay(l.became(event).ID).Done)
		l.live(time.Minute, status(200))
		require.Equal(t, delivery.Delivered, l.became(event).State)
	}
}

func TestAxxos_A04_RefusalsAreDeadAtOnce(t *testing.T) {
	l := newLife(t, "axxos")
	l.endpoint()
	for _, code := range []int{400, 401, 403, 404, 409, 410, 413, 422, 301, 304} {
		event := l.publish()
		l.turn(status(code))
		require.Equal(t, delivery.Dead, l.became(event).State, code)
		require.Equal(t, delivery.Rejected, l.became(event).Reason, code)
	}
	l.live(2*day, status(200))
	require.Len(t, l.received, 10)
}

func atMostOnce(e *registry.NewEndpoint) { e.AtMostOnce = true }

// crash is a worker that dies somewhere between claim and record; what it sent,
// is in what was received.
type crash func(l *life, as answer)

// The four points, in the order of a delivery's way.
var crashes = []struct {
	title   string
	crash   crash
	claimed bool // the claim is committed
	arrives bool // the request is in the receiver's hands
	settled bool // what came of it is recorded
}{
	{"before the claim commits", func(l *life, _ answer) {
		end := l.failCommitsOf("UPDATE")
		_, err := l.next().Claim(l.Context(), atOnce)
		require.ErrorContains(l, err, "killed")
		end()
	}, false, false, false},
	{"after the claim, before the request", func(l *life, _ answer) {
		require.Len(l, l.claim(l.next()).Claims, 1)
	}, true, false, false},
	{"after the request, before the record", func(l *life, as answer) {
		l.outcomes(l.claim(l.next()).Claims, as)
	}, true, true, false},
	{"while the record commits", func(l *life, as answer) {
		process := l.next()
		done := l.outcomes(l.claim(process).Claims, as)
		end := l.failCommitsOf("UPDATE OR DELETE")
		_, err := process.Complete(l.Context(), done)
		require.ErrorContains(l, err, "killed")
		end()
	}, true, true, false},
	{"the record's acknowledgement is lost", func(l *life, as answer) {
		process := l.next()
		done := l.outcomes(l.claim(process).Claims, as)
		l.record(process, done)
		require.Equal(l, 1, l.record(process, done).Lost, "it tries again")
	}, true, true, true},
	{"the record comes after the rescue", func(l *life, as answer) {
		process := l.next()
		done := l.outcomes(l.claim(process).Claims, as)
		l.clock.Advance(l, time.Minute+time.Microsecond)
		require.Equal(l, 1, l.rescue())
		require.Equal(l, 1, l.record(process, done).Lost)
	}, true, true, false},
}

// failCommitsOf lets transactions that change the queue fail as late as they
// can, as if their process had been killed, until the returned function is called.
func (l *life) failCommitsOf(changes string) (end func()) {
	l.exec(`CREATE FUNCTION public.kill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END'`)
	l.exec(`CREATE CONSTRAINT TRIGGER killed AFTER ` + changes + ` ON malote.queue DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION public.kill()`)
	return func() { l.exec(`DROP FUNCTION public.kill() CASCADE`) }
}

// Whatever becomes of the worker, and whatever the answer was: never a second
// request.
func TestAxxos_A06_NeverTwiceWhereverTheWorkerDies(t *testing.T) {
	l := newLife(t, "axxos")
	for _, c := range crashes {
		for i, first := range []answer{status(200), status(500), failing(delivery.Timeout)} {
			l.chapter(c.title)
			event := l.publish(only(l.endpoint(atMostOnce)))
			c.crash(l, first)
			require.Len(t, l.received, map[bool]int{true: 1}[c.arrives])
			l.live(3*day, status(200))
			found := l.became(event)
			switch {
			case !c.claimed:
				require.Len(t, l.received, 1, "nothing had happened yet")
				require.Equal(t, delivery.Delivered, found.State)
			case c.settled && i == 0:
				require.Equal(t, delivery.Delivered, found.State)
			case c.settled:
				require.Equal(t, delivery.AttemptsExhausted, found.Reason)
			default:
				require.Equal(t, delivery.Dead, found.State)
				require.Equal(t, delivery.Interrupted, found.Reason)
			}
			require.LessOrEqual(t, len(l.received), 1)
			require.Len(t, l.attempts(event), 1, "every attempt is on record")
		}
	}
}

// What failed before a request could leave, may be tried again.
func TestAxxos_A06_TriedAgainWhereNothingWasSent(t *testing.T) {
	l := newLife(t, "axxos")
	l.endpoint(atMostOnce)
	event := l.publish()
	l.turn(failing(delivery.ConnectRefused))
	require.Equal(t, delivery.Pending, l.became(event).State)
	l.live(10*time.Minute, inTurn(failing(delivery.DNS), failing(delivery.NoSecret), status(503)))
	require.Equal(t, delivery.AttemptsExhausted, l.became(event).Reason)
	require.Len(t, l.received, 1)
	require.Len(t, l.attempts(event), 4)
	l.live(3*day, status(200))
	require.Len(t, l.received, 1)
}

// What may have arrived is not sent again, not even on a person's word; what
// certainly did not, is.
func TestAxxos_A06_AReplayIsRefusedOfWhatMayHaveArrived(t *testing.T) {
	l := newLife(t, "axxos")
	l.endpoint(atMostOnce)
	event := l.publish()
	l.outcomes(l.claim(l.next()).Claims, status(200)) // arrived, not recorded
	l.live(time.Hour, status(200))
	require.Equal(t, delivery.Interrupted, l.became(event).Reason)
	require.Equal(t, redelivery.MayHaveArrived, l.replay(l.became(event).ID).Results[0].Refusal)
	l.live(time.Hour, status(200))
	require.Len(t, l.received, 1)
}

package circuit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	fairQueue = Settings{Kind: Escalating, Failures: 20, Pause: time.Minute, MaxPause: time.Hour}
	gateway   = Settings{Kind: HalfOpenProbe, Failures: 10, Pause: 30 * time.Second, MaxPause: 30 * time.Minute}
)

// endpoint lets a test tell one endpoint's story.
type endpoint struct {
	t        *testing.T
	settings Settings
	limit    int
	state    State
	now      time.Time
	signals  []SignalKind
}

func newEndpoint(t *testing.T, settings Settings, limit int) *endpoint {
	return &endpoint{t: t, settings: settings, limit: limit, now: start}
}

func (e *endpoint) take(result Result) {
	if result.At.IsZero() {
		result.At = e.now
	}
	if result.ClaimedAt.IsZero() {
		result.ClaimedAt = result.At
	}
	var signals []Signal
	e.state, signals = Next(e.settings, e.state, result, e.limit)
	for _, s := range signals {
		e.signals = append(e.signals, s.Kind)
	}
}

func (e *endpoint) fail(times int) {
	for range times {
		e.take(Result{Failure: true})
	}
}

func (e *endpoint) succeed(times int) {
	for range times {
		e.take(Result{Success: true})
	}
}

func (e *endpoint) wait(d time.Duration) { e.now = e.now.Add(d) }

func (e *endpoint) claimable() int { return ClaimLimit(e.settings, e.state, e.limit, e.now) }

func (e *endpoint) pause() time.Duration { return e.state.PausedUntil.Sub(e.now) }

func TestFairQueue_F11_PausesForKMinus19Minutes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k    int
		want time.Duration
	}{
		{20, time.Minute}, {21, 2 * time.Minute}, {30, 11 * time.Minute}, {78, 59 * time.Minute},
		{79, time.Hour}, {80, time.Hour}, {1000, time.Hour},
	} {
		e := newEndpoint(t, fairQueue, 4)
		e.fail(19)
		require.Equal(t, Closed, e.state.PhaseAt(e.now), "19 failures pause nothing")
		require.Equal(t, 4, e.claimable())
		e.fail(c.k - 19)
		require.Equal(t, c.want, e.pause(), "k = %d", c.k)
		require.Zero(t, e.claimable())
		require.Equal(t, []SignalKind{CircuitOpened}, e.signals, "told once, however long it grows")
	}
}

func TestFairQueue_F11_ProbesAreAtMostMaxInFlight(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, fairQueue, 4)
	e.fail(20)
	e.wait(time.Minute - time.Nanosecond)
	require.Zero(t, e.claimable(), "not a nanosecond early")
	e.wait(time.Nanosecond)
	require.Equal(t, HalfOpen, e.state.PhaseAt(e.now))
	require.Equal(t, 4, e.claimable())
}

func TestFairQueue_F11_AFailedProbeExtendsThePause(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, fairQueue, 4)
	e.fail(20)
	e.wait(time.Minute)
	e.fail(1)
	require.Equal(t, 2*time.Minute, e.pause())
	require.Zero(t, e.claimable())
	e.fail(3) // the other three probes
	require.Equal(t, 5*time.Minute, e.pause())
}

func TestFairQueue_F11_OneSuccessRestoresNormalPace(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, fairQueue, 4)
	e.fail(40)
	e.wait(e.pause())
	e.succeed(1)
	require.Equal(t, State{Phase: Closed, LastFailureAt: start, LastSuccessAt: e.now}, e.state)
	require.Equal(t, 4, e.claimable())
	require.Equal(t, []SignalKind{CircuitOpened, CircuitClosed}, e.signals)
	e.fail(19)
	require.Equal(t, 4, e.claimable(), "the count began anew")
}

func TestFairQueue_F11_WhichProbeIsRecordedFirstDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, successFirst := range []bool{true, false} {
		e := newEndpoint(t, fairQueue, 4)
		e.fail(20)
		e.wait(time.Minute)
		success := Result{Success: true, ClaimedAt: e.now, At: e.now.Add(time.Second)}
		failure := Result{Failure: true, ClaimedAt: e.now, At: e.now.Add(time.Second)}
		e.wait(time.Second)
		if successFirst {
			e.take(success)
			e.take(failure)
		} else {
			e.take(failure)
			e.take(success)
		}
		require.Equal(t, Closed, e.state.PhaseAt(e.now))
		require.Equal(t, 4, e.claimable())
	}
}

func TestFairQueue_F11_StragglersLengthenAPauseButNeverShortenIt(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, fairQueue, 4)
	e.fail(20)
	until := e.state.PausedUntil
	e.wait(3 * time.Second)
	e.take(Result{Success: true, ClaimedAt: start.Add(-time.Second)})
	require.Equal(t, until, e.state.PausedUntil)
	require.Equal(t, 20, e.state.ConsecutiveFailures)
	require.Equal(t, e.now, e.state.LastSuccessAt, "it is known all the same")

	e.take(Result{Failure: true, ClaimedAt: start.Add(-time.Second)})
	require.Equal(t, 21, e.state.ConsecutiveFailures)
	require.Equal(t, 2*time.Minute, e.pause(), "k counts it")

	e.take(Result{Failure: true, ClaimedAt: start.Add(-time.Second), At: start.Add(-time.Hour)})
	require.Equal(t, 2*time.Minute, e.pause(), "recorded late, with an old instant")
}

func TestGateway_G07_OpensAfterTenFailuresForThirtySecondsDoubling(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, gateway, 10)
	e.fail(9)
	require.Equal(t, 10, e.claimable())
	e.fail(1)
	for i, want := range []string{"30s", "1m", "2m", "4m", "8m", "16m", "30m", "30m"} {
		pause, err := time.ParseDuration(want)
		require.NoError(t, err)
		require.Equal(t, pause, e.pause(), "pause %d", i+1)
		require.Zero(t, e.claimable())
		e.wait(pause)
		require.Equal(t, 1, e.claimable(), "exactly one probe")
		e.fail(1)
	}
	require.Equal(t, 18, e.state.ConsecutiveFailures)
	require.Equal(t, []SignalKind{CircuitOpened}, e.signals)

	e.wait(e.pause())
	e.succeed(1)
	require.Equal(t, 10, e.claimable())
	e.fail(10)
	require.Equal(t, 30*time.Second, e.pause(), "a new spell begins with the first pause")
}

func TestGateway_G07_StragglersDoNotDoubleThePause(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, gateway, 20)
	e.fail(10)
	until := e.state.PausedUntil
	e.wait(10 * time.Second)
	for range 9 {
		e.take(Result{Failure: true, ClaimedAt: start.Add(-time.Second)})
	}
	require.Equal(t, until, e.state.PausedUntil)
	require.Equal(t, 1, e.state.OpenedCount)
	require.Equal(t, 19, e.state.ConsecutiveFailures)
}

func TestGateway_G07_AClaimThatRacedTheOpeningIsNoProbe(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, gateway, 20)
	e.fail(10)
	e.wait(time.Second)
	e.take(Result{Success: true, ClaimedAt: start.Add(time.Millisecond)})
	require.Equal(t, Open, e.state.PhaseAt(e.now))
	require.Zero(t, e.claimable())
}

func TestNext_LearnsNothingFromAnInterruptedAttempt(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, gateway, 10)
	e.fail(12)
	e.wait(time.Minute)
	before := e.state
	e.take(Result{SlowDown: true, DisableNow: true})
	require.Equal(t, before, e.state)
	require.Equal(t, 1, e.claimable(), "another probe may go once the lost one's lease is over")
}

func TestNext_APolicyWithoutCircuitReleasesOneThatWasOpen(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, gateway, 10)
	e.fail(10)
	e.settings = Settings{Kind: None}
	require.Equal(t, 10, e.claimable())
	e.fail(1)
	require.Equal(t, Closed, e.state.Phase)
	require.Zero(t, e.state.PausedUntil)
	require.Equal(t, 11, e.state.ConsecutiveFailures)
}

func TestNext_ARaisedThresholdStillExtendsAnOpenCircuit(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Escalating, HalfOpenProbe} {
		e := newEndpoint(t, Settings{Kind: kind, Failures: 3, Pause: time.Minute, MaxPause: time.Hour}, 4)
		e.fail(3)
		e.settings.Failures = 50
		e.wait(time.Minute)
		e.fail(1)
		require.Zero(t, e.claimable(), kind)
	}
}

func TestClaimLimit_OfNothing(t *testing.T) {
	t.Parallel()
	require.Zero(t, ClaimLimit(gateway, State{}, 0, start))
	require.Zero(t, ClaimLimit(gateway, State{}, -1, start))
	require.Equal(t, 3, ClaimLimit(Settings{}, State{}, 3, start))
	require.Equal(t, 1, ClaimLimit(Settings{}, State{SlowLevel: 500}, 3, start))
}

func TestCircuit_TheLongestPauseNeedNotBeAMultiple(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind][]time.Duration{
		HalfOpenProbe: {10 * time.Minute, 20 * time.Minute, 35 * time.Minute, 35 * time.Minute},
		Escalating:    {10 * time.Minute, 20 * time.Minute, 30 * time.Minute, 35 * time.Minute, 35 * time.Minute},
	} {
		e := newEndpoint(t, Settings{Kind: kind, Failures: 1, Pause: 10 * time.Minute, MaxPause: 35 * time.Minute}, 1)
		for _, pause := range want {
			e.fail(1)
			require.Equal(t, pause, e.pause(), kind)
			e.wait(pause)
		}
	}
}

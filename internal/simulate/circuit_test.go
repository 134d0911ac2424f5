package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// An outage of thirty seconds under traffic: without the circuit it would spend
// hundreds of attempts; with it, it spends ten, and those under way meanwhile.
func TestGateway_G07_AThirtySecondOutageUsesUpNobodysBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gap := time.Duration(rapid.IntRange(250, 2000).Draw(t, "milliseconds between events")) * time.Millisecond
		begins := start.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "begins")) * time.Second)
		slowness := time.Duration(rapid.IntRange(0, 15_000).Draw(t, "milliseconds to fail")) * time.Millisecond
		life := Life{
			Policy: preset(t, "gateway"), Accepted: every(gap, int(2*time.Minute/gap)), Random: drawRandom(t), Processes: rapid.IntRange(1, 3).Draw(t, "processes"),
			Receiver: between(begins, begins.Add(30*time.Second), answering(503, slowness), answering(200, 100*time.Millisecond)),
		}
		story := life.Run()
		failed := 0
		for _, a := range story.Attempts {
			require.NotEqual(t, circuit.Open, a.Phase())
			if !a.Decision.Success {
				failed++
			}
		}
		require.LessOrEqual(t, failed, 10+9+1, "ten that open it, nine under way with them, one probe")
		require.Equal(t, len(life.Accepted), story.count(delivery.Delivered))
		for _, d := range story.Deliveries {
			require.Less(t, d.attempts, 8)
		}
	})
}

func TestGateway_G07_WithoutTheCircuitTheSameOutageCostsHundredsOfAttempts(t *testing.T) {
	t.Parallel()
	bare := *preset(t, "gateway")
	bare.Circuit = circuit.Settings{Kind: circuit.None}
	story := Life{
		Policy: &bare, Accepted: every(100*time.Millisecond, 1200), Random: seeded(1),
		Receiver: between(start, start.Add(30*time.Second), down, moods["well"]),
	}.Run()
	require.Greater(t, len(story.Attempts), len(story.Deliveries)+300)
}

func TestGateway_G07_ExactlyOneProbeAfterEveryPauseOverAllProcesses(t *testing.T) {
	t.Parallel()
	story := Life{
		Policy: preset(t, "gateway"), Accepted: every(time.Second, 7200), Random: seeded(1), Processes: 3,
		Receiver: between(start, start.Add(100*time.Minute), answering(500, 5*time.Second), moods["well"]),
	}.Run()
	opened := story.kinds(circuit.CircuitOpened)[0]
	pause, next, probes := 30*time.Second, opened.At.Add(30*time.Second), 0
	for _, a := range story.Attempts {
		if a.Phase() != circuit.HalfOpen {
			continue
		}
		require.Equal(t, 1, a.InFlight)
		require.Equal(t, next, a.Claim.ClaimedAt, "when the pause ends, and not before the last probe came to something")
		pause = min(2*pause, 30*time.Minute)
		next = a.EndedAt.Add(pause)
		probes++
	}
	require.Equal(t, 9, probes, "30 s, 1, 2, 4, 8, 16 and then 30 minutes apart")
	require.Equal(t, delivery.Delivered, story.Deliveries[len(story.Deliveries)-1].State)
	require.Len(t, story.kinds(circuit.CircuitClosed), 1)
}

func TestFairQueue_F11_AtMostMaxInFlightProbesAfterEveryPause(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		story := Life{
			Policy: preset(t, "fair-queue"), Endpoint: delivery.Endpoint{MaxInFlight: limit}, Random: drawRandom(t),
			Accepted: every(time.Minute, 400), Processes: 3,
			Receiver: between(start, start.Add(5*time.Hour), answering(500, time.Duration(rapid.IntRange(0, 5000).Draw(t, "took"))*time.Millisecond), moods["well"]),
		}.Run()
		probes := make(map[time.Time]int) // by the end of the pause that they followed
		for _, a := range story.Attempts {
			if a.Phase() == circuit.HalfOpen {
				until := a.Circuit.PausedUntil
				probes[until]++
				require.LessOrEqual(t, probes[until], limit)
			}
		}
		require.Greater(t, len(probes), 5)
	})
}

// One delivery in flight at a time: the pauses are seen bare.
func TestFairQueue_F11_PausesAreKMinus19Minutes(t *testing.T) {
	t.Parallel()
	story := Life{
		Policy: preset(t, "fair-queue"), Endpoint: delivery.Endpoint{MaxInFlight: 1}, Random: seeded(1),
		Accepted: every(time.Second, 200), Receiver: answering(500, 0),
	}.Run()
	for k, a := range story.Attempts {
		if k < 20 { // this one comes after k failures
			require.Equal(t, circuit.Closed, a.Phase())
			continue
		}
		paused := a.Claim.ClaimedAt.Sub(story.Attempts[k-1].EndedAt)
		require.Equal(t, min(time.Duration(k-19)*time.Minute, time.Hour), paused, "k = %d", k)
	}
	require.Greater(t, len(story.Attempts), 100)
}

// What waits for a returning endpoint goes out at the pace at which it answers,
// four at a time, and nothing faster.
func TestFairQueue_F15_AReturningEndpointIsDrainedAtItsOwnPace(t *testing.T) {
	t.Parallel()
	const answers, limit = 100 * time.Millisecond, 4
	story := Life{
		Policy: preset(t, "fair-queue"), Accepted: every(100*time.Millisecond, 4000), Random: seeded(1),
		Receiver: between(start, start.Add(10*time.Minute), down, answering(200, answers)),
	}.Run()
	var first, last time.Time
	waited := 0
	for _, a := range story.Attempts {
		require.LessOrEqual(t, a.InFlight, limit)
		if a.Claim.CycleAttempt == 1 && a.Decision.Success {
			waited++
			last = a.EndedAt
			if first.IsZero() {
				first = a.Claim.ClaimedAt
			}
		}
	}
	require.Greater(t, waited, 3900, "nearly all were never tried before")
	require.False(t, first.Before(start.Add(10*time.Minute)))
	pace := time.Duration(waited) * answers / limit
	require.InDelta(t, pace.Seconds(), last.Sub(first).Seconds(), pace.Seconds()/100)
	require.Equal(t, 4000, story.count(delivery.Delivered))
}

// Slow answers, though successes, halve the limit down to one; quick ones double
// it until it is what it was.
func TestRouta_R09_SlowEndpointsAreSlowedDownAndSpedUpAgain(t *testing.T) {
	t.Parallel()
	slowUntil := start.Add(10 * time.Minute)
	story := Life{
		Policy: preset(t, "routa"), Accepted: every(time.Second, 1800), Random: seeded(1),
		Receiver: between(start.Add(time.Minute), slowUntil, moods["sluggish"], moods["well"]),
	}.Run()
	var allowed []int
	for _, a := range story.Attempts {
		if len(allowed) == 0 || allowed[len(allowed)-1] != a.Allowed {
			allowed = append(allowed, a.Allowed)
		}
		if a.Allowed > 1 && a.Claim.ClaimedAt.After(start.Add(8*time.Minute)) {
			require.True(t, a.Claim.ClaimedAt.After(slowUntil), "slow all the while")
		}
	}
	require.Equal(t, []int{10, 5, 2, 1, 2, 5, 10}, allowed)
	require.Equal(t, 1800, story.count(delivery.Delivered))
}

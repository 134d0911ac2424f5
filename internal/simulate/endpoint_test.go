package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/circuit"
	"github.com/malotehq/malote/internal/delivery"
)

// Five days of failing: warnings after one and three, disabled at the first
// failure after five. What is pending then, stays; what comes later is skipped.
func TestDisable_F14_S08_AfterFiveDaysWithWarningsAfterOneAndThree(t *testing.T) {
	t.Parallel()
	for name, longestPause := range map[string]time.Duration{"fair-queue": time.Hour, "standard": 30 * time.Minute} {
		rapid.Check(t, func(t *rapid.T) {
			gap := time.Duration(rapid.IntRange(60, 360).Draw(t, "minutes between events")) * time.Minute
			story := Life{
				Policy: preset(t, name), Accepted: every(gap, int(8*day/gap)), Receiver: answering(500, time.Second), Random: drawRandom(t),
			}.Run()
			since := story.Attempts[0].EndedAt
			warnings := story.kinds(circuit.EndpointFailing)
			require.Len(t, warnings, 2)
			for i, after := range []time.Duration{day, 3 * day} {
				require.Equal(t, after, warnings[i].FailingFor)
				require.Equal(t, since.Add(after), warnings[i].At, "not when the next attempt happens to fail")
			}
			disabled := story.kinds(circuit.EndpointDisabled)
			require.Len(t, disabled, 1)
			require.Equal(t, circuit.DisabledDuration, disabled[0].Reason)
			require.GreaterOrEqual(t, disabled[0].At.Sub(since), 5*day)
			require.LessOrEqual(t, disabled[0].At.Sub(since), 5*day+longestPause+gap+10*time.Second)

			require.Positive(t, story.count(delivery.Pending), "until someone decides about them")
			require.Positive(t, story.count(delivery.Skipped))
			for _, d := range story.Deliveries {
				if d.AcceptedAt.After(disabled[0].At) {
					require.Equal(t, delivery.EndpointDisabled, d.Reason)
				}
			}
		})
	}
}

func TestDisable_F14_S08_ASuccessStartsTheFiveDaysAnew(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fair-queue", "standard"} {
		well := start.Add(4 * day)
		story := Life{
			Policy: preset(t, name), Accepted: every(time.Hour, 30*24), Random: seeded(1),
			Receiver: between(well, well.Add(2*time.Hour), moods["well"], between(start.Add(8*day), start.Add(40*day), moods["well"], down)),
		}.Run()
		require.Empty(t, story.kinds(circuit.EndpointDisabled), "four days are not five")
		require.Len(t, story.kinds(circuit.EndpointFailing), 4, "two warnings for each spell")
		require.Equal(t, delivery.Active, story.Status)
		require.Zero(t, story.count(delivery.Pending))
	}
}

func TestRouta_R06_DisablesAtTheHundredthFailure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		story := Life{
			Policy: preset(t, "routa"), Accepted: every(time.Second, 300), Random: drawRandom(t),
			Receiver: answering(500, time.Duration(rapid.IntRange(0, 9000).Draw(t, "took"))*time.Millisecond),
		}.Run()
		disabled := story.kinds(circuit.EndpointDisabled)
		require.Len(t, disabled, 1)
		require.Equal(t, circuit.DisabledFailures, disabled[0].Reason)
		require.Equal(t, 100, disabled[0].ConsecutiveFailures)
		require.LessOrEqual(t, len(story.Attempts), 100+9, "the hundredth, and those under way with it")
		for _, a := range story.Attempts {
			require.False(t, a.Claim.ClaimedAt.After(disabled[0].At))
		}
	})
}

func TestRouta_R06_DisablesAfterADayWithTwentyAttempts(t *testing.T) {
	t.Parallel()
	story := Life{Policy: preset(t, "routa"), Accepted: every(4*time.Hour, 20), Receiver: answering(500, time.Second), Random: seeded(1)}.Run()
	since := story.Attempts[0].EndedAt
	warnings := story.kinds(circuit.EndpointFailing)
	require.Len(t, warnings, 1)
	require.Equal(t, since.Add(12*time.Hour), warnings[0].At)
	disabled := story.kinds(circuit.EndpointDisabled)
	require.Len(t, disabled, 1)
	require.Equal(t, circuit.DisabledDuration, disabled[0].Reason)
	require.GreaterOrEqual(t, disabled[0].At.Sub(since), day)
	require.Less(t, disabled[0].At.Sub(since), day+4*time.Hour)
	require.GreaterOrEqual(t, disabled[0].ConsecutiveFailures, 20)

	rare := Life{Policy: preset(t, "routa"), Accepted: once(), Receiver: answering(500, 0), Random: seeded(1)}.Run()
	require.Empty(t, rare.kinds(circuit.EndpointDisabled), "eight attempts are no twenty")
}

func TestGone_F09_S03_DisablesAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fair-queue", "standard"} {
		story := Life{Policy: preset(t, name), Accepted: every(time.Minute, 3), Receiver: answering(410, time.Second), Random: seeded(1)}.Run()
		require.Len(t, story.Attempts, 1)
		require.Equal(t, delivery.Gone, story.Deliveries[0].Reason)
		require.Equal(t, delivery.DisabledBySystem, story.Status)
		require.Equal(t, 2, story.count(delivery.Skipped))
	}
	for _, name := range []string{"gateway", "routa"} { // R03, G04
		story := Life{Policy: preset(t, name), Accepted: every(time.Minute, 3), Receiver: answering(410, time.Second), Random: seeded(1)}.Run()
		require.Equal(t, 3, story.count(delivery.Dead))
		require.Equal(t, delivery.Active, story.Status)
	}
	dracma := Life{Policy: preset(t, "dracma"), Accepted: once(), Receiver: answering(410, time.Second), Random: seeded(1)}.Run()
	require.GreaterOrEqual(t, len(dracma.Attempts), 15, "D02")
}

func TestFairQueue_F12_ADeadWorkersDeliveryReturnsAfterAMinute(t *testing.T) {
	t.Parallel()
	life := Life{
		Policy: preset(t, "fair-queue"), Accepted: once(), Random: seeded(1),
		Receiver: between(start, start.Add(time.Second), workerDies, moods["well"]),
	}
	story := life.Run()
	require.Len(t, story.Attempts, 2)
	require.Equal(t, time.Minute, story.Attempts[1].Claim.ClaimedAt.Sub(story.Attempts[0].Claim.ClaimedAt))
	require.Zero(t, story.Circuit.ConsecutiveFailures, "it says nothing about the endpoint")
	require.Equal(t, 1, story.count(delivery.Delivered))

	life.Endpoint.AtMostOnce = true
	story = life.Run()
	require.Len(t, story.Attempts, 1)
	require.Equal(t, delivery.Interrupted, story.Deliveries[0].Reason, "A06")
}

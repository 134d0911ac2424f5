package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFairQueue_F04_TheFirstOfEveryLaneBeforeTheSecondOfAny(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	quick := answering(200, 100*time.Millisecond)
	long, short := laneOf(p, 4, quick), laneOf(p, 4, quick)
	platform, story := platformOf(t, 64, map[*lane]int{long: 20_000, short: 3})
	require.Len(t, story.Attempts, 7)
	seen := map[*lane]int{}
	for _, a := range story.Attempts {
		seen[a.Delivery.lane]++
		require.LessOrEqual(t, seen[long], seen[short]+1, "while both have work")
		if seen[short] == 3 {
			break
		}
	}
	platform.runUntil(start.Add(100 * time.Millisecond))
	require.Zero(t, short.pending.len()+short.inFlight)
}

func TestFairQueue_F04_ManyLanesShareFewSlots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := preset(t, "fair-queue")
		story := &Story{}
		platform := newPlatform(start, drawRandom(t), story)
		platform.processes = []*process{newProcess(rapid.IntRange(2, 16).Draw(t, "slots")), newProcess(rapid.IntRange(2, 16).Draw(t, "slots"))}
		lanes := make([]*lane, rapid.IntRange(20, 40).Draw(t, "lanes"))
		for i := range lanes {
			lanes[i] = laneOf(p, 4, answering(200, 100*time.Millisecond))
			lanes[i].suspect = false
			for range 60 {
				platform.publish(lanes[i])
			}
		}
		platform.runUntil(start.Add(3 * time.Second))
		require.NotEmpty(t, story.Attempts)
		counts := map[*lane]int{}
		for _, a := range story.Attempts {
			counts[a.Delivery.lane]++
		}
		fewest, most := counts[lanes[1]], counts[lanes[1]]
		for _, l := range lanes[1:] { // the first had them all for a moment
			fewest, most = min(fewest, counts[l]), max(most, counts[l])
		}
		require.LessOrEqual(t, most-fewest, 5, "the same share while all have work")
	})
}

func TestFairQueue_F05_AProcessHasAtMostItsSlotsInFlight(t *testing.T) {
	t.Parallel()
	backlogs := map[*lane]int{}
	for range 30 {
		l := laneOf(preset(t, "fair-queue"), 10, answering(200, 200*time.Millisecond))
		l.suspect = false
		backlogs[l] = 100
	}
	platform, _ := platformOf(t, DefaultSlots, backlogs)
	for range 100 {
		require.Len(t, platform.processes[0].attempts, 64)
		platform.runUntil(platform.now.Add(50 * time.Millisecond))
	}
}

// The same case as in dispatch, with the same outcome: the model agrees.
func TestQuota_HangingEndpointsLeaveHalfOfTheSlots(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	quick := laneOf(p, 2, answering(200, 10*time.Millisecond))
	quick.suspect = false
	backlogs := map[*lane]int{quick: 0}
	for range 10 {
		backlogs[laneOf(p, 4, answering(200, 4*time.Second))] = 100
	}
	platform, story := platformOf(t, 16, backlogs)
	for range 20 {
		for range 10 {
			platform.publish(quick)
		}
		platform.runUntil(platform.now.Add(100 * time.Millisecond))
		require.Zero(t, quick.pending.len(), "an endpoint that answers had to wait for those that don't")
		require.GreaterOrEqual(t, len(platform.processes[0].attempts), 16/2, "suspects use what is theirs")
		require.LessOrEqual(t, len(platform.processes[0].attempts), 16/2+2)
	}
	require.NotEmpty(t, story.Attempts)
}

// A trusted endpoint that stops answering holds slots for one deadline at most.
func TestQuota_AnEndpointThatHangsIsSuspectedAfterASecond(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	well := answering(200, 10*time.Millisecond)
	hanging := laneOf(p, 4, between(start.Add(time.Second), start.Add(time.Hour), moods["hanging"], well))
	platform, _ := platformOf(t, 8, map[*lane]int{hanging: 1})
	platform.runUntil(start.Add(2 * time.Second))
	require.False(t, hanging.suspect)
	platform.now = start.Add(2 * time.Second)
	for range 100 {
		platform.publish(hanging)
	}
	platform.runUntil(start.Add(4 * time.Second))
	platform.now = start.Add(4 * time.Second)
	left, who := platform.processes[0].left(platform.now)
	require.Zero(t, left)
	require.Equal(t, []*lane{hanging}, who)
	platform.runUntil(start.Add(8 * time.Second))
	require.True(t, hanging.suspect)
}

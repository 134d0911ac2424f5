package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestFairQueue_F04_TheFirstOfEveryLaneBeforeTheSecondOfAny(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	quick := answering(200, 100*time.Millisecond)
	long, short := laneOf(p, 4, quick), laneOf(p, 4, quick)
	long.standing, short.standing = delivery.Trusted, delivery.Trusted
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
			lanes[i].standing = delivery.Trusted
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
		l.standing = delivery.Trusted
		backlogs[l] = 100
	}
	platform, _ := platformOf(t, DefaultSlots, backlogs)
	for range 100 {
		require.Len(t, platform.processes[0].attempts, 64)
		platform.runUntil(platform.now.Add(50 * time.Millisecond))
	}
}

// The same cases as in dispatch, with the same outcome: the model agrees.
func TestQuota_HangingEndpointsLeaveHalfOfTheSlots(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	quick := laneOf(p, 2, answering(200, 10*time.Millisecond))
	quick.standing = delivery.Trusted
	backlogs := map[*lane]int{quick: 0}
	for range 10 {
		hanging := laneOf(p, 4, answering(200, 4*time.Second))
		hanging.standing = delivery.Slow
		backlogs[hanging] = 100
	}
	platform, story := platformOf(t, 16, backlogs)
	for range 20 {
		for range 10 {
			platform.publish(quick)
		}
		platform.runUntil(platform.now.Add(100 * time.Millisecond))
		require.Zero(t, quick.pending.len(), "an endpoint that answers had to wait for those that don't")
		require.GreaterOrEqual(t, len(platform.processes[0].attempts), 6, "slow ones use what is theirs")
		require.LessOrEqual(t, len(platform.processes[0].attempts), 6+2)
	}
	require.NotEmpty(t, story.Attempts)
}

func TestQuota_UnheardEndpointsFindSlotsWhileOthersHang(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	backlogs := map[*lane]int{}
	for range 7 {
		backlogs[laneOf(p, 4, answering(200, 4*time.Second))] = 100
	}
	platform, _ := platformOf(t, 16, backlogs)
	for range 200 { // long enough for those that hang to be known for it
		fresh := laneOf(p, 4, answering(200, 10*time.Millisecond))
		platform.publish(fresh)
		platform.publish(fresh)
		platform.runUntil(platform.now.Add(100 * time.Millisecond))
		require.Zero(t, fresh.pending.len())
	}
}

// A trusted endpoint that stops answering holds slots for one deadline at most.
func TestQuota_AnEndpointThatHangsIsSuspectedAfterASecond(t *testing.T) {
	t.Parallel()
	p := preset(t, "fair-queue")
	well := answering(200, 10*time.Millisecond)
	hanging := laneOf(p, 4, between(start.Add(time.Second), start.Add(time.Hour), moods["hanging"], well))
	platform, _ := platformOf(t, 8, map[*lane]int{hanging: 1})
	platform.runUntil(start.Add(2 * time.Second))
	require.Equal(t, delivery.Trusted, hanging.standing)
	platform.now = start.Add(2 * time.Second)
	for range 100 {
		platform.publish(hanging)
	}
	platform.runUntil(start.Add(4 * time.Second))
	platform.now = start.Add(4 * time.Second)
	left := platform.processes[0].room(platform.now)
	require.Zero(t, left.Slow)
	require.Equal(t, []*lane{hanging}, left.hanging)
	platform.runUntil(start.Add(8 * time.Second))
	require.Equal(t, delivery.Slow, hanging.standing)
}

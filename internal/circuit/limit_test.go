package circuit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStandard_S03_SlowDownHalvesTheLimitDownToOne(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{SlowDown: SlowDown{RestoreAfter: 3}}, 10)
	for _, want := range []int{5, 2, 1, 1, 1} {
		e.wait(time.Second)
		e.take(Result{Failure: true, SlowDown: true})
		require.Equal(t, want, e.claimable())
	}
	for _, want := range []int{2, 5, 10, 10} {
		e.succeed(2)
		require.NotEqual(t, want*2, e.claimable())
		e.succeed(1)
		require.Equal(t, want, e.claimable(), "one step back after three successes")
	}
}

func TestStandard_S03_OneBurstHalvesOnce(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{SlowDown: SlowDown{RestoreAfter: 3}}, 16)
	claimed := e.now
	for range 16 {
		e.wait(time.Millisecond)
		e.take(Result{Failure: true, SlowDown: true, ClaimedAt: claimed})
	}
	require.Equal(t, 8, e.claimable(), "all sixteen were under way before the first answer")
	e.take(Result{Failure: true, SlowDown: true, ClaimedAt: e.now})
	require.Equal(t, 4, e.claimable())
}

func TestStandard_S03_WithoutTheSectionNothingSlowsDown(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, Settings{}, 10)
	e.take(Result{Failure: true, SlowDown: true})
	require.Equal(t, 10, e.claimable())
}

func TestRouta_R09_ConsistentlySlowEndpointsAreSlowedDownAndSpedUpAgain(t *testing.T) {
	t.Parallel()
	slow := Result{Success: true, Took: 6 * time.Second}
	fast := Result{Success: true, Took: 50 * time.Millisecond}
	e := newEndpoint(t, Settings{SlowDown: SlowDown{RestoreAfter: 10, SlowerThan: 5 * time.Second, InARow: 10}}, 8)
	takeAll := func(result Result, times int) {
		for range times {
			e.wait(10 * time.Second)
			e.take(result)
		}
	}
	takeAll(slow, 9)
	takeAll(fast, 1)
	takeAll(slow, 9)
	require.Equal(t, 8, e.claimable(), "slow now and then is not slow consistently")
	takeAll(slow, 1)
	require.Equal(t, 4, e.claimable())
	takeAll(slow, 10)
	require.Equal(t, 2, e.claimable())
	takeAll(Result{Failure: true, Took: 10 * time.Second}, 10)
	require.Equal(t, 1, e.claimable(), "running into the deadline is slow too")
	takeAll(fast, 30)
	require.Equal(t, 8, e.claimable())
}

func TestSlowDown_ASlowedCircuitProbesSlowly(t *testing.T) {
	t.Parallel()
	settings := fairQueue
	settings.SlowDown = SlowDown{RestoreAfter: 5}
	e := newEndpoint(t, settings, 4)
	e.take(Result{Failure: true, SlowDown: true})
	e.fail(19)
	e.wait(time.Minute)
	require.Equal(t, 2, e.claimable())
}

package maintenance

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestFairQueue_F12_WhatBecomesOfALostWorkersDelivery(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claim  func(*delivery.Claim)
		n      int
		state  delivery.State
		reason delivery.Reason
	}{
		"back to the queue": {nil, 1, delivery.Pending, ""},
		"also late":         {nil, 19, delivery.Pending, ""},
		"exhausted (F08)":   {nil, 20, delivery.Dead, delivery.AttemptsExhausted},
		"too old (F08)": {func(c *delivery.Claim) { c.CycleStartedAt = time.Now().Add(-72*time.Hour - time.Second) }, 2,
			delivery.Dead, delivery.TooOld},
		"at most once (A06)":       {func(c *delivery.Claim) { c.Endpoint.AtMostOnce = true }, 1, delivery.Dead, delivery.Interrupted},
		"a test":                   {func(c *delivery.Claim) { c.Trigger = delivery.TriggerTest }, 1, delivery.Dead, delivery.Interrupted},
		"unknown policy":           {func(c *delivery.Claim) { c.Endpoint.Policy = "gone" }, 99, delivery.Pending, ""},
		"unknown and at most once": {func(c *delivery.Claim) { c.Endpoint.Policy, c.Endpoint.AtMostOnce = "gone", true }, 1, delivery.Dead, delivery.Interrupted},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(newHouse())
			claim := lostClaim(test.n, test.claim)
			r.house.expired = []*delivery.Claim{claim}
			require.NoError(t, r.rescue(t.Context()), name)

			done := r.house.completed[0]
			require.Equal(t, policy.Expired, done.Kind, name)
			require.Same(t, claim, done.Claim, name)
			require.Equal(t, test.state, done.Decision.State, name)
			require.Equal(t, test.reason, done.Decision.Reason, name)
			require.Equal(t, delivery.InterruptedSend, done.Decision.ErrorCode, name)
			require.Equal(t, delivery.InterruptedSend, done.Outcome.Error, name)
			require.NotEmpty(t, done.Outcome.ErrorText, name)
			require.WithinDuration(t, time.Now().Add(-time.Minute), done.Outcome.StartedAt, time.Microsecond, name)
			require.Equal(t, time.Now(), done.CompletedAt, "%s: by the database's clock", name)
			require.False(t, done.Decision.Success || done.Decision.Failure, "%s: it says nothing about the endpoint", name)
			if test.state == delivery.Pending {
				require.Equal(t, time.Now(), done.Decision.NextAttemptAt, "%s: at once: a minute has gone by already", name)
			}
			require.Equal(t, 1, r.observer.rescued, name)
			require.Equal(t, 1, r.signals, "%s: somebody may send it now", name)
		})
	}
}

func TestFairQueue_F12_WithinASecondAfterTheLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		r.run(t)
		elapse(t, 10*time.Second+time.Millisecond)
		r.house.mu.Lock()
		r.house.expired = []*delivery.Claim{lostClaim(1, nil)}
		r.house.mu.Unlock()
		elapse(t, time.Second)
		synctest.Wait()
		r.house.mu.Lock()
		defer r.house.mu.Unlock()
		require.Len(t, r.house.completed, 1)
	})
}

func TestRescue_TakesAllInOneTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		const all = 3*leasesAtOnce + 5
		for range all {
			r.house.expired = append(r.house.expired, lostClaim(1, nil))
		}
		require.NoError(t, r.rescue(t.Context()))
		require.Len(t, r.house.completed, all)
		require.Equal(t, all, r.observer.rescued)
		require.Equal(t, []int{leasesAtOnce, leasesAtOnce, leasesAtOnce, 5}, r.house.tries)
	})
}

func TestRescue_G10_OneThatCannotBeGivenUpKeepsNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		var poison []*delivery.Claim
		for i := range 100 {
			claim := lostClaim(1, nil)
			r.house.expired = append(r.house.expired, claim)
			if i < 3 || i == 50 { // the oldest come first, turn after turn
				poison = append(poison, claim)
			}
		}
		outOfRange := errors.New("a value out of range")
		r.house.refuses = func(completions []policy.Completion) error {
			if slices.ContainsFunc(completions, func(done policy.Completion) bool { return slices.Contains(poison, done.Claim) }) {
				return outOfRange
			}
			return nil
		}
		require.ErrorIs(t, r.rescue(t.Context()), outOfRange, "it shows")
		require.Len(t, r.house.completed, 96)
		require.Equal(t, 96, r.observer.rescued)
		require.Equal(t, 1, r.signals)
		require.Equal(t, poison, r.house.expired)
		require.Len(t, r.house.tries, 1+100)
	})
}

func TestRescue_WhatItsWorkerCompletedIsNotCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		for range leasesAtOnce + 1 {
			r.house.expired = append(r.house.expired, lostClaim(1, nil))
		}
		r.house.lost = func(policy.Completion) bool { return true }
		require.NoError(t, r.rescue(t.Context()))
		require.Empty(t, r.house.expired)
		require.Zero(t, r.observer.rescued)
		require.Zero(t, r.signals)
	})
}

// A row that nothing can be done about – its lane was removed by hand – is found
// again every time.
func TestRescue_NeverGoesRoundAndRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		for range 2 * leasesAtOnce {
			r.house.expired = append(r.house.expired, lostClaim(1, nil))
		}
		r.house.ignores = func(policy.Completion) bool { return len(r.house.tries) < 1000 }
		require.NoError(t, r.rescue(t.Context()))
		require.Equal(t, 1, r.house.looks)
	})
}

func TestRescue_ADatabaseThatGoesAwayEndsTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		r.house.fails = func(string) error { return errAway }
		require.ErrorIs(t, r.rescue(t.Context()), errAway)
		require.Empty(t, r.house.tries)

		r.house.fails = nil
		for range leasesAtOnce {
			r.house.expired = append(r.house.expired, lostClaim(1, nil))
		}
		r.house.refuses = func([]policy.Completion) error { return errAway }
		require.ErrorIs(t, r.rescue(t.Context()), errAway)
		require.LessOrEqual(t, len(r.house.tries), 1+leasesAtOnce)
		require.Zero(t, r.signals)
	})
}

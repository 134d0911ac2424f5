package webhook_test

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/webhook"
)

func keep(t testing.TB, m *webhook.Memory, id string) {
	t.Helper()
	claim, err := m.Claim(t.Context(), id)
	require.NoError(t, err)
	require.NoError(t, claim.Keep(t.Context()))
}

func claimError(t testing.TB, m *webhook.Memory, id string) error {
	t.Helper()
	claim, err := m.Claim(t.Context(), id)
	if err == nil {
		require.NoError(t, claim.Release(t.Context()))
	}
	return err
}

func TestMemory_OneClaimAtATime(t *testing.T) {
	t.Parallel()
	m := webhook.NewMemory(0, 0)
	var winners, busy atomic.Int32
	var wait sync.WaitGroup
	for range 24 {
		wait.Go(func() {
			switch _, err := m.Claim(t.Context(), "evt_1"); err {
			case nil:
				winners.Add(1)
			case webhook.ErrBeingHandled:
				busy.Add(1)
			}
		})
	}
	wait.Wait()
	require.EqualValues(t, 1, winners.Load())
	require.EqualValues(t, 23, busy.Load())
}

func TestMemory_ReleaseForgetsKeepRemembers(t *testing.T) {
	t.Parallel()
	m := webhook.NewMemory(0, 0)
	first, err := m.Claim(t.Context(), "evt_1")
	require.NoError(t, err)
	require.NoError(t, first.Release(t.Context()))
	second, err := m.Claim(t.Context(), "evt_1")
	require.NoError(t, err)

	// The first claim is settled: it has no power over the second one.
	require.NoError(t, first.Release(t.Context()))
	require.NoError(t, first.Keep(t.Context()))
	require.ErrorIs(t, claimError(t, m, "evt_1"), webhook.ErrBeingHandled)

	require.NoError(t, second.Keep(t.Context()))
	require.ErrorIs(t, claimError(t, m, "evt_1"), webhook.ErrAlreadyHandled)
	require.NoError(t, second.Release(t.Context()))
	require.ErrorIs(t, claimError(t, m, "evt_1"), webhook.ErrAlreadyHandled)
}

func TestMemory_D12_SevenDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := webhook.NewMemory(0, 0)
		started, err := m.Claim(t.Context(), "slow")
		require.NoError(t, err)
		keep(t, m, "evt_1")
		<-time.After(7*24*time.Hour - time.Nanosecond)
		require.ErrorIs(t, claimError(t, m, "evt_1"), webhook.ErrAlreadyHandled)
		<-time.After(time.Nanosecond)
		require.NoError(t, claimError(t, m, "evt_1"))

		// A claim has no age, and the 7 days begin when it is kept.
		require.ErrorIs(t, claimError(t, m, "slow"), webhook.ErrBeingHandled)
		require.NoError(t, started.Keep(t.Context()))
		<-time.After(6 * 24 * time.Hour)
		require.ErrorIs(t, claimError(t, m, "slow"), webhook.ErrAlreadyHandled)
	})
}

func TestMemory_OldestGoFirst(t *testing.T) {
	t.Parallel()
	m := webhook.NewMemory(3, 0)
	open, err := m.Claim(t.Context(), "open")
	require.NoError(t, err)
	for i := range 4 {
		keep(t, m, strconv.Itoa(i))
	}
	require.NoError(t, claimError(t, m, "0"))
	for _, id := range []string{"1", "2", "3"} {
		require.ErrorIs(t, claimError(t, m, id), webhook.ErrAlreadyHandled)
	}
	require.ErrorIs(t, claimError(t, m, "open"), webhook.ErrBeingHandled)
	require.NoError(t, open.Keep(t.Context()))
	require.NoError(t, claimError(t, m, "1"))
}

// Against a plain model: the last `limit` kept ids and all claimed ones are known.
func TestMemory_Model(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(rt, "limit")
		m := webhook.NewMemory(limit, 0)
		claimed, kept := map[string]webhook.Claim{}, []string{}
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(rt, "id")
			claim, open := claimed[id]
			switch {
			case open && rapid.Bool().Draw(rt, "keep"):
				require.NoError(rt, claim.Keep(t.Context()))
				kept = append(kept, id)
				kept = kept[max(0, len(kept)-limit):]
				delete(claimed, id)
			case open && rapid.Bool().Draw(rt, "release"):
				require.NoError(rt, claim.Release(t.Context()))
				delete(claimed, id)
			default:
				got, err := m.Claim(t.Context(), id)
				switch {
				case open:
					require.ErrorIs(rt, err, webhook.ErrBeingHandled)
				case slices.Contains(kept, id):
					require.ErrorIs(rt, err, webhook.ErrAlreadyHandled)
				default:
					require.NoError(rt, err)
					claimed[id] = got
				}
			}
		}
	})
}

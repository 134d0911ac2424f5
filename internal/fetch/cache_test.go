package fetch

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

func TestCache_KeepsWhatWasUsedLastForItsTime(t *testing.T) {
	t.Parallel()
	var c cache
	now := time.Now()
	named := func(i int) name { return nameOf(source.Fetch{URL: fmt.Sprint(i)}) }
	for i := range cached {
		c.put(named(i), answer{content: []byte{byte(i)}}, time.Hour, now)
	}
	_, known := c.get(named(0))
	require.True(t, known)
	c.put(named(cached), answer{}, time.Hour, now)
	_, known = c.get(named(1))
	require.False(t, known, "it was used longest ago")
	kept, known := c.get(named(0))
	require.True(t, known)
	require.True(t, kept.isFresh(now.Add(time.Hour-1)))
	require.False(t, kept.isFresh(now.Add(time.Hour)))
	require.True(t, kept.isUsable(now.Add(useContent-1)))
	require.False(t, kept.isUsable(now.Add(useContent)))
	c.drop(named(0))
	_, known = c.get(named(0))
	require.False(t, known)
	for range 3 {
		c.put(named(2), answer{}, time.Hour, now)
	}
	c.put(named(-1), answer{}, 0, now)
	require.LessOrEqual(t, c.order.Len(), cached)
	require.Equal(t, c.order.Len(), len(c.entries))
}

func TestKeep(t *testing.T) {
	t.Parallel()
	final, passing := answer{failure: &Error{Failure: Refused}}, answer{failure: &Error{Failure: Unavailable}}
	require.Equal(t, keepContent, keep(source.FetchCertificate, answer{}))
	require.Zero(t, keep(source.FetchSubscription, answer{}))
	require.Equal(t, keepFinal, keep(source.FetchSubscription, final))
	require.Equal(t, keepPassing, keep(source.FetchKey, passing))
}

func TestAllowances_AreBoundedAndFillUpAgain(t *testing.T) {
	t.Parallel()
	var a allowances
	now := time.Now()
	owner := func(i int) delivery.ID { return delivery.ID{byte(i >> 8), byte(i)} }
	for i := range owners {
		require.True(t, a.take(owner(i), now))
	}
	require.False(t, a.take(owner(owners), now), "no room: rather nobody new than no bound")
	require.True(t, a.take(owner(0), now))
	now = now.Add(allowanceEvery * allowanceBurst)
	require.True(t, a.take(owner(owners), now), "those that are full again are forgotten")
	require.Len(t, a.buckets, 1)
}

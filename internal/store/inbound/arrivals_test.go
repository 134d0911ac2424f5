package inbound

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestArrivals_AddUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two, gone, foreign := w.source("acme"), w.source("acme"), w.source("acme"), w.source("globex")
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	add := func(source delivery.ID, hour int, accepted, rejected int64) {
		t.Helper()
		require.NoError(t, w.AddArrivals(t.Context(), []Arrivals{
			{Source: source, Hour: at(hour), Accepted: accepted, Duplicates: 1, Rejected: rejected},
			{Source: source, Hour: at(hour + 1), Filtered: 1},
		}))
	}
	add(one, 9, 2, 0)
	add(one, 9, 3, 4)
	add(two, 11, 7, 0)
	add(gone, 9, 100, 0)
	add(foreign, 9, 9, 0)
	w.deleteSource(gone)

	hours, err := w.ArrivalsOf(t.Context(), one, at(9), at(11))
	require.NoError(t, err)
	require.Equal(t, []Arrivals{
		{Source: one, Hour: at(9), Accepted: 5, Duplicates: 2, Rejected: 4}, {Source: one, Hour: at(10), Filtered: 2},
	}, hours)
	hours, err = w.ArrivalsOf(t.Context(), one, at(10), at(10))
	require.NoError(t, err)
	require.Empty(t, hours)

	sums, err := w.Arrivals(t.Context(), "acme", at(9), at(13))
	require.NoError(t, err)
	require.ElementsMatch(t, []Arrivals{
		{Source: one, Hour: at(9), Accepted: 5, Duplicates: 2, Filtered: 2, Rejected: 4},
		{Source: two, Hour: at(9), Accepted: 7, Duplicates: 1, Filtered: 1},
	}, sums)
	sums, err = w.Arrivals(t.Context(), "", at(9), at(10))
	require.NoError(t, err)
	require.Len(t, sums, 2, "of all tenants, without the deleted one")
}

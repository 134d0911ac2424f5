package history

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

func TestIDRange_Neighbours(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := delivery.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		if id == lastID {
			t.Skip()
		}
		next := successor(id)
		require.Negative(t, compareIDs(id, next))
		require.Equal(t, id, next.Before())
		span := idRange{firstID, lastID}.above(id)
		require.Equal(t, next, span.from)
	})
}

// Whatever the bounds and the width, slices cover a range without gaps and
// come to an end.
func TestIDRange_SlicesCoverTheRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(1_000_000_000, 3_000_000_000).Draw(t, "now"), 0)
		instant := rapid.Custom(func(t *rapid.T) time.Time {
			if rapid.Bool().Draw(t, "none") {
				return time.Time{}
			}
			return time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "at"), 0)
		})
		rest := between(instant.Draw(t, "since"), instant.Draw(t, "until"))
		width := time.Second
		for steps := 0; !rest.empty(); steps++ {
			require.Less(t, steps, 30)
			slice := rest.newest(width, now)
			require.Equal(t, rest.to, slice.to)
			require.GreaterOrEqual(t, compareIDs(slice.from, rest.from), 0)
			require.False(t, slice.empty(), "a slice must bring us on")
			rest.to = slice.from
			width *= rangeGrowth
		}
	})
}

func TestIDRange_EventsOfItsDeliveries(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(0, rapid.Int64Range(0, 1<<60).Draw(t, "at"))
		event := delivery.NewID(5, at, rand.Reader)
		id := delivery.NewDeliveryID(event, rand.Reader)
		first, last := idRange{id, successor(id)}.events()
		require.LessOrEqual(t, compareIDs(first, event), 0)
		require.GreaterOrEqual(t, compareIDs(last, event), 0)
	})
}

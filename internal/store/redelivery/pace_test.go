package redelivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRecover_F15_QueuesWhatTheLaneSendsInFiveSeconds(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		lane laneLoad
		want int
	}{
		"nothing known: 200 ms each":           {laneLoad{claimLimit: 4}, 100},
		"quick":                                {laneLoad{claimLimit: 4, answer: 100 * ms}, 200},
		"very quick: as many as one batch":     {laneLoad{claimLimit: 10, answer: ms}, 500},
		"slow: every slot":                     {laneLoad{claimLimit: 4, answer: 28 * time.Second}, 4},
		"probing":                              {laneLoad{claimLimit: 1, answer: 10 * time.Second}, 1},
		"limited to 8 a second":                {laneLoad{claimLimit: 10, answer: ms, rateLimit: 8}, 40},
		"a limit that does not bind":           {laneLoad{claimLimit: 4, answer: 100 * ms, rateLimit: 1000}, 200},
		"a limit of less than one in the time": {laneLoad{claimLimit: 1, answer: ms, rateLimit: 0.1}, 1},
		"more than half is left":               {laneLoad{claimLimit: 4, answer: 100 * ms, pending: 101, due: 101}, 0},
		"half is gone":                         {laneLoad{claimLimit: 4, answer: 100 * ms, pending: 100, due: 100}, 100},
		"many wait for a retry":                {laneLoad{claimLimit: 4, answer: 100 * ms, pending: 890}, 110},
		"too many wait for a retry":            {laneLoad{claimLimit: 4, answer: 100 * ms, pending: 901}, 0},
		"over the top":                         {laneLoad{claimLimit: 4, pending: 5000, due: 5000}, 0},
	} {
		require.Equal(t, c.want, c.lane.room(), name)
	}
}

func TestRecover_F15_NeverMoreThanAThousandPending(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := laneLoad{
			claimLimit: rapid.IntRange(0, 2000).Draw(t, "slots"),
			rateLimit:  rapid.Float64Range(0, 1e6).Draw(t, "rate"),
			answer:     time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "answer")),
			pending:    rapid.IntRange(0, 3000).Draw(t, "pending"),
		}
		l.due = rapid.IntRange(0, l.pending).Draw(t, "due")
		room := l.room()
		require.GreaterOrEqual(t, room, 0)
		require.LessOrEqual(t, room, recoverBatch)
		if room > 0 {
			require.LessOrEqual(t, l.pending+room, mostPending)
		}
		if l.pending == 0 {
			require.Positive(t, room, "an empty lane always gets something")
		}
	})
}

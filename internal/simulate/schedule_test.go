package simulate

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

// scheduled is what a contract says about a delivery that fails every time. The
// numbers are the contract's own.
type scheduled struct {
	preset      string
	attempts    int
	least, most []time.Duration // of every wait
	window      time.Duration   // within which it ends, were answers immediate
}

func within(percent float64, waits ...time.Duration) (least, most []time.Duration) {
	for _, w := range waits {
		spread := time.Duration(float64(w) * percent / 100)
		least, most = append(least, w-spread), append(most, w+spread)
	}
	return least, most
}

// doublings are base × 2^(n-1), at most so long.
func doublings(base, most time.Duration, n int) []time.Duration {
	var waits []time.Duration
	for range n {
		waits = append(waits, min(base, most))
		base = min(2*base, most)
	}
	return waits
}

// check lets deliveries fail, each time as slowly as the deadline allows.
func (s scheduled) check(t *testing.T) {
	t.Parallel()
	p := preset(t, s.preset)
	rapid.Check(t, func(t *rapid.T) {
		took := time.Duration(rapid.Int64Range(0, int64(p.Deadline)).Draw(t, "took"))
		story := Life{Policy: p, Accepted: once(), Receiver: answering(500, took), Random: drawRandom(t)}.Run()
		require.Equal(t, start, story.Attempts[0].Claim.ClaimedAt, "the first goes out at once")
		require.LessOrEqual(t, len(story.Attempts), s.attempts)
		for i, wait := range waits(story.Attempts) {
			require.GreaterOrEqual(t, wait, s.least[i]-time.Nanosecond, "wait %d", i+1)
			require.LessOrEqual(t, wait, s.most[i]+time.Nanosecond, "wait %d", i+1)
		}
		d := story.Deliveries[0]
		require.Equal(t, delivery.Dead, d.State)
		require.LessOrEqual(t, d.ClosedAt.Sub(start), s.window+time.Duration(s.attempts)*took)
		if len(story.Attempts) == s.attempts {
			require.Equal(t, delivery.AttemptsExhausted, d.Reason)
		} else {
			require.Equal(t, delivery.TooOld, d.Reason)
			require.NotZero(t, p.GiveUp.Age)
		}
	})
}

func TestStandard_S02_TenAttemptsOverSeventySixHours(t *testing.T) {
	waits := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	least, most := within(20, waits...)
	total := 75*time.Hour + 35*time.Minute + 5*time.Second
	scheduled{"standard", 10, least, most, total * 12 / 10}.check(t)
}

func TestFairQueue_F07_F08_TwentyAttemptsOr72Hours(t *testing.T) {
	most := doublings(30*time.Second, 6*time.Hour, 19)
	var least []time.Duration
	for _, w := range most {
		least = append(least, w/2)
	}
	scheduled{"fair-queue", 20, least, most, 72 * time.Hour}.check(t)
}

func TestAxxos_A03_NineAttemptsOver31Hours(t *testing.T) {
	least, most := within(20, 30*time.Second, time.Minute, 2*time.Minute, 5*time.Minute,
		15*time.Minute, time.Hour, 6*time.Hour, 24*time.Hour)
	scheduled{"axxos", 9, least, most, 31*time.Hour*12/10 + 30*time.Minute}.check(t)
}

func TestGateway_G06_EightAttemptsWithFullJitter(t *testing.T) {
	most := doublings(30*time.Second, time.Hour, 7)
	scheduled{"gateway", 8, make([]time.Duration, 7), most, 30 * 127 * time.Second}.check(t)
}

func TestRouta_R01_EightAttemptsOverTwentyHours(t *testing.T) {
	least, most := within(20, time.Minute, 4*time.Minute, 15*time.Minute, 40*time.Minute, 2*time.Hour, 6*time.Hour, 11*time.Hour)
	scheduled{"routa", 8, least, most, 24 * time.Hour}.check(t)
}

// The sixteenth attempt is at 71:42:30 plus all jitter, and 72 h is the end.
func TestDracma_D04_D05_FifteenOrSixteenAttemptsWithin72Hours(t *testing.T) {
	t.Parallel()
	p := preset(t, "dracma")
	bases := []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour}
	rapid.Check(t, func(t *rapid.T) {
		took := time.Duration(rapid.Int64Range(0, int64(p.Deadline)).Draw(t, "took"))
		random, luck := drawRandom(t), rapid.Float64Range(0, 1).Draw(t, "luck")
		story := Life{
			Policy: p, Accepted: once(), Receiver: answering(200+rapid.IntRange(100, 399).Draw(t, "status"), took),
			Random: func() float64 { return random() * luck },
		}.Run()
		n := len(story.Attempts)
		require.Contains(t, []int{15, 16}, n)
		jitter := time.Duration(0)
		for i := 1; i < n; i++ {
			base := 8 * time.Hour
			if i <= len(bases) {
				base = bases[i-1]
			}
			extra := story.Attempts[i].Claim.ScheduledAt.Sub(story.Attempts[i-1].Claim.ScheduledAt) - base
			require.Zero(t, extra%time.Second, "whole seconds")
			require.GreaterOrEqual(t, extra, time.Duration(0), "never minus")
			require.LessOrEqual(t, extra, base/10)
			jitter += extra
		}
		last := story.Attempts[n-1].Claim.ClaimedAt.Sub(start)
		require.GreaterOrEqual(t, last, 63*time.Hour+42*time.Minute+30*time.Second)
		require.LessOrEqual(t, last, 72*time.Hour)
		if n == 16 {
			require.LessOrEqual(t, jitter, 17*time.Minute+30*time.Second)
		}
		require.Equal(t, delivery.TooOld, story.Deliveries[0].Reason)
		require.Equal(t, story.Attempts[n-1].EndedAt, story.Deliveries[0].ClosedAt, "as soon as the last failed")
	})
	for u, n := range map[float64]int{0: 16, 0.99: 15} {
		story := Life{Policy: p, Accepted: once(), Receiver: down, Random: func() float64 { return u }}.Run()
		require.Len(t, story.Attempts, n)
	}
}

func TestRetryAfter_F07_S03_G05_IsAFloorThatIsCapped(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		status int
		cap    time.Duration
	}{"fair-queue": {503, 6 * time.Hour}, "standard": {500, 24 * time.Hour}, "gateway": {429, 24 * time.Hour}} {
		rapid.Check(t, func(t *rapid.T) {
			asked := time.Duration(rapid.IntRange(1, 200_000).Draw(t, "seconds")) * time.Second
			greedy := func(time.Time) delivery.Outcome {
				return delivery.Outcome{Status: want.status, RetryAfter: strconv.Itoa(int(asked / time.Second))}
			}
			story := Life{Policy: preset(t, name), Accepted: once(), Receiver: greedy, Random: drawRandom(t)}.Run()
			for _, wait := range waits(story.Attempts) {
				require.GreaterOrEqual(t, wait, min(asked, want.cap))
			}
			require.GreaterOrEqual(t, len(story.Attempts), 2)
		})
	}
	dracma := Life{Policy: preset(t, "dracma"), Accepted: once(), Receiver: moods["greedy"], Random: seeded(1)}.Run()
	require.Less(t, waits(dracma.Attempts)[0], time.Minute, "D04 has its own times")
}

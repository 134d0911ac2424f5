package policy

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

// promise is what a clause demands of its preset. It takes the policy as an
// argument, so that a mutant can be held against it as well: see mutants_test.go.
type promise struct {
	clause string // or silent
	kept   func(t fataler, p *Policy)
}

// silent stands for what a contract leaves open. The preset's comment says why
// its value was chosen; here it is pinned, so that it does not change unnoticed.
const silent = "silent"

var promises = map[string][]promise{
	"standard": standardPromises, "fair-queue": fairQueuePromises, "axxos": axxosPromises,
	"gateway": gatewayPromises, "routa": routaPromises, "dracma": dracmaPromises,
}

// witness takes the place of a test: it notes the first complaint and ends.
type witness struct{ complaint string }

type ended struct{}

func (w *witness) Helper()                           {}
func (w *witness) Errorf(format string, args ...any) { w.complaint = fmt.Sprintf(format, args...) }
func (w *witness) FailNow()                          { panic(ended{}) }

// brokenBy is nil if the policy keeps the promise.
func (pr promise) brokenBy(p *Policy) (err error) {
	w := &witness{}
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case ended{}:
			err = fmt.Errorf("%s: %s", pr.clause, w.complaint)
		default:
			panic(reason)
		}
	}()
	pr.kept(w, p)
	return nil
}

func TestPromise_BrokenBy(t *testing.T) {
	t.Parallel()
	five := promise{"X05", func(t fataler, p *Policy) { require.Equal(t, 5*time.Second, p.Deadline) }}
	require.NoError(t, five.brokenBy(&Policy{Deadline: 5 * time.Second}))
	require.ErrorContains(t, five.brokenBy(&Policy{Deadline: time.Second}), "X05: ")
	require.Panics(t, func() { _ = promise{"X", func(fataler, *Policy) { panic("a test that is wrong") }}.brokenBy(nil) })
}

// keepsQuiet pins what no contract speaks of and no preset but one that says so
// changes.
func keepsQuiet(t fataler, p *Policy) {
	require.Equal(t, time.Minute, p.Lease)
	require.Zero(t, p.Schedule.FirstDelay)
	require.Zero(t, p.RateLimit)
	require.False(t, p.FIFO)
	require.Empty(t, p.Headers.EventType)
	require.Empty(t, p.Headers.Extra)
}

// obeys demands Retry-After of these statuses alone, as a floor under the wait
// that is never longer than the cap (0: nobody's is obeyed). least is the
// shortest first wait.
func obeys(t fataler, p *Policy, asked func(status int) bool, longest, least time.Duration) {
	for _, status := range []int{301, 399, 400, 404, 408, 410, 413, 429, 499, 500, 501, 502, 503, 504, 599} {
		for seconds, wish := range map[string]time.Duration{
			"0": 0, "1": time.Second, "600": 10 * time.Minute, "-600": 0, "soon": 0,
			"3599": time.Hour - time.Second, "3601": time.Hour + time.Second,
			"21599": 6*time.Hour - time.Second, "21601": 6*time.Hour + time.Second,
			"86399": 24*time.Hour - time.Second, "86401": 24*time.Hour + time.Second,
			"99999999999999999999":          longestRetryAfter,
			"Sun, 01 Mar 2026 12:20:00 GMT": 20 * time.Minute,
			"Fri, 01 Mar 2086 12:20:00 GMT": longestRetryAfter,
			"Sun, 01 Mar 2026 11:00:00 GMT": 0,
		} {
			d := first(p, askedToWait(status, seconds), always(0))
			if d.State != delivery.Pending {
				continue // the clause about statuses has its own test
			}
			want, cause := least, BySchedule
			if floor := min(wish, longest); asked(status) && floor > least {
				want, cause = floor, ByRetryAfter
			}
			require.Equal(t, want, d.NextAttemptAt.Sub(accepted), "%d, Retry-After: %s", status, seconds)
			if least > p.Schedule.MinimumWait || cause == ByRetryAfter {
				require.Equal(t, cause, d.Cause, "%d, Retry-After: %s", status, seconds)
			}
		}
	}
}

func oneOf(list ...int) func(int) bool {
	return func(status int) bool {
		for _, one := range list {
			if one == status {
				return true
			}
		}
		return false
	}
}

func everyStatus(int) bool { return true }
func noStatus(int) bool    { return false }

// sameTimetable compares with the timetable written down in testdata.
func sameTimetable(t fataler, p *Policy, name string) {
	written, err := timetables.ReadFile("testdata/timetables/" + name + ".txt")
	require.NoError(t, err)
	require.Equal(t, string(written), timetableOf(p))
}

package maintenance

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// periods are how often each task runs, over all processes.
var periods = map[string]time.Duration{
	"rescue": time.Second, "sweep": 5 * time.Second, "close_orphans": 15 * time.Second,
	"expire_keys": time.Minute, "create_partitions": time.Hour,
}

func TestMaintenance_RunsEveryTaskAtOnceAndThenPeriodically(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, began := newRig(newHouse()), time.Now()
		r.run(t)
		elapse(t, 3*time.Hour+time.Millisecond)
		for task, period := range periods {
			runs := r.observer.runsOf(task)
			require.Len(t, runs, int(3*time.Hour/period)+1, task)
			for i, at := range runs {
				require.Equal(t, time.Duration(i)*period, at.Sub(began), task)
			}
			require.Zero(t, r.observer.failuresOf(task))
		}
		require.Len(t, r.observer.runs, len(periods), "a task that this test does not know")
		require.Len(t, r.house.partitions, 4)
	})
}

// Two processes, started at any distance: each task once per period, and when
// one process goes, the other takes over after two at most.
func TestMaintenance_EachTaskOncePerPeriodOverAllProcesses(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{0, 40 * time.Millisecond, 500 * time.Millisecond, 930 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			shared := newHouse()
			first, second := newRig(shared), newRig(shared)
			stopFirst := first.run(t)
			elapse(t, apart)
			second.run(t)
			elapse(t, 10*time.Minute)
			for task, period := range periods {
				runs := merged(first.observer.runsOf(task), second.observer.runsOf(task))
				for i := 1; i < len(runs); i++ {
					require.GreaterOrEqual(t, runs[i].Sub(runs[i-1]), period*9/10, task)
				}
				require.GreaterOrEqual(t, len(runs), int(10*time.Minute/period), "%s, %s apart", task, apart)
			}
			stopFirst()
			stopped := time.Now()
			elapse(t, 3*time.Minute)
			for _, task := range []string{"rescue", "sweep", "close_orphans", "expire_keys"} {
				runs := second.observer.runsOf(task)
				require.WithinDuration(t, stopped.Add(3*time.Minute), runs[len(runs)-1], 2*periods[task], task)
			}
		})
	}
}

func merged(a, b []time.Time) []time.Time {
	var all []time.Time
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].Before(b[0]) {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return all
}

func TestMaintenance_AFailedTaskRunsAgainAndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		r.house.fails = func(task string) error {
			if task == "sweep" {
				return errAway
			}
			return nil
		}
		r.run(t)
		elapse(t, time.Minute+time.Millisecond)
		require.Len(t, r.observer.runsOf("sweep"), 13, "no sooner than its turn")
		require.Equal(t, 13, r.observer.failuresOf("sweep"))
		require.Len(t, r.observer.runsOf("rescue"), 61)
		require.Zero(t, r.observer.failuresOf("rescue"))
	})
}

func TestMaintenance_ATaskThatHangsIsCutOffAndSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := newRig(newHouse())
		r.options.Log = slog.New(slog.NewTextHandler(&log, nil))
		hangs := task{name: "hangs", every: time.Second, run: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		began := time.Now()
		r.once(t.Context(), hangs)
		require.Equal(t, taskTimeout, time.Since(began))
		require.Equal(t, 1, r.observer.failuresOf("hangs"))
		require.Contains(t, log.String(), "hangs")
	})
}

func TestMaintenance_AStopEndsItAtOnceAndIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		r.once(ctx, task{name: "hangs", every: time.Minute, run: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		require.Empty(t, r.observer.runsOf("hangs"))

		began := time.Now()
		r.run(t)()
		require.Equal(t, began, time.Now())
	})
}

func TestMaintenance_I4_SweepTellsWhatItFinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		require.NoError(t, r.sweep(t.Context()))
		require.Zero(t, r.signals)
		r.house.stranded = 3
		require.NoError(t, r.sweep(t.Context()))
		require.Equal(t, 3, r.observer.stranded)
		require.Equal(t, 1, r.signals)
	})
}

func TestMaintenance_LargeWorkIsDoneInBatchesWithinOneTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(newHouse())
		r.house.keys, r.house.orphans = 10*rowsAtOnce+1, 3*rowsAtOnce
		r.run(t)
		elapse(t, time.Millisecond)
		require.Zero(t, r.house.remaining(&r.house.keys))
		require.Zero(t, r.house.remaining(&r.house.orphans))
	})
}

package maintenance

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// staff is everybody who may be given, and notes what was asked of them.
type staff struct {
	mu      sync.Mutex
	calls   map[string]int
	told    map[string]int64
	err     error
	retires func(context.Context) error // nil: at once
	left    int                         // steps
	took    time.Duration               // a step
}

func newStaff() *staff { return &staff{calls: make(map[string]int), told: make(map[string]int64)} }

func (s *staff) note(call string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[call]++
	return s.err
}

func (s *staff) callsOf(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[call]
}

func (s *staff) Retire(ctx context.Context, now time.Time) (map[string]int64, error) {
	err := s.note("retire")
	if !now.Equal(time.Now()) {
		return nil, errors.New("not the time of the process")
	}
	if s.retires != nil {
		return map[string]int64{"events": 3}, s.retires(ctx)
	}
	return map[string]int64{"events": 3, "attempts": 4}, err
}

func (s *staff) CleanUp(context.Context, time.Time) (map[string]int64, error) {
	return map[string]int64{"signals": 5}, s.note("clean_up")
}

func (s *staff) Endpoints(context.Context) (map[string]int, error) {
	return map[string]int{"endpoint_failing": 1}, s.note("endpoints")
}

func (s *staff) DeadLetters(context.Context) (map[string]int, error) {
	return map[string]int{"many_failures": 2}, s.note("dead_letters")
}

func (s *staff) Step(ctx context.Context) (bool, error) {
	err := s.note("step")
	if s.took > 0 {
		select {
		case <-time.After(s.took):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	return s.left > 0, err
}

func (s *staff) RowsRemoved(table string, rows int64) { s.tell(table, rows) }

func (s *staff) SignalsRaised(kind string, signals int) { s.tell(kind, int64(signals)) }

func (s *staff) tell(what string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[what] += n
}

func newStaffedRig(s *staff) *rig {
	r := newRig(newHouse())
	r.options.Retention, r.options.Watch, r.options.Recoverer, r.options.Tally = s, s, s, s
	return r
}

var optionalPeriods = map[string]time.Duration{
	"watch_endpoints": time.Minute, "watch_dead_letters": 5 * time.Minute, "retention": time.Hour, "clean_up": time.Hour,
	"run_recoveries": 2 * time.Second,
}

func TestOptional_RunAtOnceAndThenPeriodically(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStaff()
		r := newStaffedRig(s)
		r.run(t)
		elapse(t, 3*time.Hour+time.Millisecond)
		for task, period := range optionalPeriods {
			require.Len(t, r.observer.runsOf(task), int(3*time.Hour/period)+1, task)
			require.Zero(t, r.observer.failuresOf(task), task)
		}
		require.Len(t, r.observer.runs, len(periods)+len(optionalPeriods))
		require.Equal(t, 4, s.callsOf("retire"))
		require.Equal(t, 4, s.callsOf("clean_up"))
		require.Equal(t, 181, s.callsOf("endpoints"))
		require.Equal(t, 37, s.callsOf("dead_letters"))
		require.Equal(t, map[string]int64{"events": 12, "attempts": 16, "signals": 20, "endpoint_failing": 181, "many_failures": 74}, s.told)
	})
}

func TestOptional_WithoutATallyNobodyCounts(t *testing.T) {
	t.Parallel()
	s := newStaff()
	m := New(Options{Storage: newHouse(), Retention: s, Watch: s})
	require.NoError(t, m.watchEndpoints(t.Context()))
	require.NoError(t, m.cleanUp(t.Context()))
	require.Len(t, m.optional(), 4)
}

// What was removed or said before something failed is counted.
func TestOptional_CountsAlsoBesideAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStaff()
		s.err = errAway
		r := newStaffedRig(s)
		for _, task := range r.optional() {
			require.ErrorIs(t, task.run(t.Context()), errAway, task.name)
		}
		require.Equal(t, map[string]int64{"events": 3, "attempts": 4, "signals": 5, "endpoint_failing": 1, "many_failures": 2}, s.told)
	})
}

func TestRetention_HasAlmostItsWholePeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStaff()
		s.retires = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		r := newStaffedRig(s)
		r.run(t)
		elapse(t, retireTimeout-time.Second)
		require.Empty(t, r.observer.runsOf("retention"))
		elapse(t, 2*time.Second)
		require.Equal(t, 1, r.observer.failuresOf("retention"))
		require.Equal(t, int64(3), s.told["events"])
	})
}

func TestRecoveries_StepByStepWhileThereIsMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStaff()
		s.left, s.took = 50, 10*time.Millisecond
		r := newStaffedRig(s)
		r.run(t)
		elapse(t, time.Second)
		require.Equal(t, 50, s.callsOf("step"))
		elapse(t, 1001*time.Millisecond)
		require.Equal(t, 51, s.callsOf("step"), "and then a look in every period")
	})
}

// A run that has been long at work ends between two steps; no step is cut off.
func TestRecoveries_AreNotCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStaff()
		s.left, s.took = 1000, 20*time.Second
		r := newStaffedRig(s)
		r.run(t)
		elapse(t, time.Hour)
		require.Zero(t, r.observer.failuresOf("run_recoveries"))
		require.GreaterOrEqual(t, s.callsOf("step"), 170)
	})
}

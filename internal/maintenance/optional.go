package maintenance

import (
	"context"
	"time"
)

// Retention removes what is older than it is to be kept. Both say how many rows of
// which table they removed, also beside an error.
type Retention interface {
	// Retire goes through the days that are due. It may take long, and may be cut
	// off anywhere: the next run goes on.
	Retire(ctx context.Context, now time.Time) (map[string]int64, error)
	// CleanUp removes old statistics, signals and ended recoveries.
	CleanUp(ctx context.Context, now time.Time) (map[string]int64, error)
}

// Watch finds what only time brings about, and writes it down as signals. It says
// how many of which kind.
type Watch interface {
	Endpoints(ctx context.Context) (map[string]int, error)
	DeadLetters(ctx context.Context) (map[string]int, error)
}

// Alerts tells people of signals.
type Alerts interface {
	// Tell tells of what there is to tell of now.
	Tell(ctx context.Context) error
	// WatchLag looks for what is late, and says how many signals of which kind that
	// made.
	WatchLag(ctx context.Context) (map[string]int, error)
}

// Recoverer carries recovery jobs on. A step is short, durable, and may be taken by
// several processes at once; more says that another one may follow at once.
type Recoverer interface {
	Step(ctx context.Context) (more bool, err error)
}

// Repairer brings in what providers sent and the inbound door did not get, in steps
// like a Recoverer's.
type Repairer interface {
	Step(ctx context.Context) (more bool, err error)
}

// Tally is told what the optional tasks did, for the metrics.
type Tally interface {
	RowsRemoved(table string, rows int64)
	SignalsRaised(kind string, signals int)
}

const (
	// retireTimeout is a little less than the period: who comes next finds the day
	// in use, or not begun.
	retireTimeout = 55 * time.Minute
	// recoverFor ends a run while it has time left, between two steps.
	recoverFor = time.Minute
	// repairTimeout is for two steps: each takes as long as providers take to
	// answer, and bounds itself.
	repairTimeout = 5 * time.Minute
)

// optional are the tasks that this process was given somebody for.
func (m *Maintenance) optional() []task {
	var tasks []task
	if m.options.Watch != nil {
		tasks = append(tasks,
			task{name: "watch_endpoints", every: time.Minute, run: m.watchEndpoints},          // S08
			task{name: "watch_dead_letters", every: 5 * time.Minute, run: m.watchDeadLetters}) // A07
	}
	if m.options.Alerts != nil {
		tasks = append(tasks,
			task{name: "tell", every: 2 * time.Second, run: m.options.Alerts.Tell}, // D08, A07
			task{name: "watch_lag", every: 15 * time.Second, run: m.watchLag})      // F17
	}
	if m.options.Retention != nil {
		tasks = append(tasks,
			task{name: "retention", every: time.Hour, run: m.retire, timeout: retireTimeout},
			task{name: "clean_up", every: time.Hour, run: m.cleanUp})
	}
	if m.options.Recoverer != nil {
		tasks = append(tasks, task{name: "run_recoveries", every: 2 * time.Second, run: m.runRecoveries})
	}
	if m.options.Repairer != nil {
		tasks = append(tasks, task{name: "repair_gaps", every: 30 * time.Second, run: m.repairGaps, timeout: repairTimeout})
	}
	return tasks
}

func (m *Maintenance) watchEndpoints(ctx context.Context) error {
	raised, err := m.options.Watch.Endpoints(ctx)
	m.tellRaised(raised)
	return err
}

func (m *Maintenance) watchDeadLetters(ctx context.Context) error {
	raised, err := m.options.Watch.DeadLetters(ctx)
	m.tellRaised(raised)
	return err
}

func (m *Maintenance) watchLag(ctx context.Context) error {
	raised, err := m.options.Alerts.WatchLag(ctx)
	m.tellRaised(raised)
	return err
}

func (m *Maintenance) retire(ctx context.Context) error {
	removed, err := m.options.Retention.Retire(ctx, m.options.Now())
	m.tellRemoved(removed)
	return err
}

func (m *Maintenance) cleanUp(ctx context.Context) error {
	removed, err := m.options.Retention.CleanUp(ctx, m.options.Now())
	m.tellRemoved(removed)
	return err
}

func (m *Maintenance) tellRaised(raised map[string]int) {
	for kind, n := range raised {
		m.options.Tally.SignalsRaised(kind, n)
	}
}

// tellRemoved leaves nothing to be dropped silently.
func (m *Maintenance) tellRemoved(removed map[string]int64) {
	for table, n := range removed {
		m.options.Tally.RowsRemoved(table, n)
	}
}

// runRecoveries and repairGaps take steps while there is work. They stop between two of them, so
// that no step is cut off in the middle for taking its turn late in the run; the
// next run, in whichever process, is two seconds away.
func (m *Maintenance) runRecoveries(ctx context.Context) error {
	return takeSteps(ctx, m.options.Recoverer.Step)
}

func (m *Maintenance) repairGaps(ctx context.Context) error {
	return takeSteps(ctx, m.options.Repairer.Step)
}

func takeSteps(ctx context.Context, step func(context.Context) (bool, error)) error {
	until := time.Now().Add(recoverFor)
	for {
		more, err := step(ctx)
		if err != nil || !more || time.Now().After(until) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// uncounted is the Tally of who gives none.
type uncounted struct{}

func (uncounted) RowsRemoved(string, int64) {}
func (uncounted) SignalsRaised(string, int) {}

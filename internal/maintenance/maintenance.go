package maintenance

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// Observer is told what was found, for the metrics.
type Observer interface {
	Stranded(lanes int)
	Rescued(claims int)
	TaskRan(task string, err error)
}

// Options of New. Storage, Policies, Observer and Signal must be given.
type Options struct {
	Storage  Storage
	Policies Policies
	Observer Observer
	Signal   func() // tells this process's dispatcher that something may be due

	// Whoever is nil has no tasks.
	Retention Retention
	Watch     Watch
	Alerts    Alerts
	Recoverer Recoverer
	Repairer  Repairer
	Tally     Tally // nil: nobody counts

	Log    *slog.Logger
	Random policy.Random
	Now    func() time.Time
}

// Maintenance runs the tasks. Each has a goroutine of its own, so that a slow
// one delays no other.
type Maintenance struct{ options Options }

// taskTimeout bounds one run of a task that has no bound of its own.
const taskTimeout = 2 * time.Minute

// New makes the maintenance of a process.
func New(options Options) *Maintenance {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Tally == nil {
		options.Tally = uncounted{}
	}
	return &Maintenance{options: options}
}

// Run runs every task once now, and then periodically until ctx ends.
func (m *Maintenance) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, t := range append(m.tasks(), m.optional()...) {
		running.Go(func() { m.repeat(ctx, t) })
	}
	running.Wait()
}

func (m *Maintenance) repeat(ctx context.Context, t task) {
	ticker := time.NewTicker(t.every)
	defer ticker.Stop()
	for {
		m.once(ctx, t)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// once runs a task if it is this process's turn. Errors wait for the next turn:
// whatever was left undone, is found again.
func (m *Maintenance) once(stop context.Context, t task) {
	ctx, cancel := context.WithTimeout(stop, cmp.Or(t.timeout, taskTimeout))
	defer cancel()
	// A little less than the period, or a ticker that is early by a hair would
	// skip every other turn.
	mine, err := m.options.Storage.ClaimTask(ctx, t.name, t.every*9/10)
	if err == nil && !mine {
		return
	}
	if err == nil {
		err = t.run(ctx)
	}
	if err != nil && stop.Err() != nil {
		return // cut short by the stop
	}
	m.options.Observer.TaskRan(t.name, err)
	if err != nil {
		m.options.Log.Warn("a maintenance task failed; it runs again", "task", t.name, "error", err, "every", t.every)
	}
}

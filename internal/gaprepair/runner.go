package gaprepair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
)

const (
	sourcesAtOnce = 4
	// stepTime is the time after which a step begins no other source's turn.
	stepTime = 45 * time.Second
)

// Options of New. All but the last three must be given.
type Options struct {
	Sources   Sources
	Keys      Keys
	Publisher Publisher
	Positions Positions
	Observer  Observer
	// Client goes out through the guard of internal/egress. Redirects are not
	// followed, whatever it says.
	Client *http.Client

	Log    *slog.Logger
	Random func() float64 // in [0,1)
	Now    func() time.Time
}

// Runner compares sources with what their providers list.
type Runner struct {
	options Options
	rest    func(context.Context, time.Duration) error

	maxAnswer int64 // of a provider, in bytes

	mu sync.Mutex
	// unsaved are the states that could not be saved, until one can: a provider is
	// left alone also while the database is away.
	unsaved map[delivery.ID]state
	// repairing are the sources of the Repairs under way.
	repairing map[delivery.ID]struct{}
}

// New makes a runner.
func New(options Options) *Runner {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Runner{
		options: options, rest: wait, maxAnswer: maxAnswer,
		unsaved: make(map[delivery.ID]state), repairing: make(map[delivery.ID]struct{}),
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Step gives every source that is due a turn of at most forty requests, and says
// whether another step would find something to do at once. It is safe in several
// processes at the same time, and to be cut off anywhere. A source that fails
// rests for a while and holds up no other; the errors of all are returned.
// A step takes two minutes at most, given a database that answers.
func (r *Runner) Step(ctx context.Context) (more bool, _ error) {
	sources, unlisted := r.options.Sources.Repairable(ctx)
	if unlisted != nil {
		unlisted = fmt.Errorf("repairing gaps: listing sources: %w", unlisted)
	}
	positions := make(map[delivery.ID]Position, len(sources))
	for _, source := range sources {
		position, err := r.options.Positions.Load(ctx, source.ID)
		if err != nil {
			return false, errors.Join(unlisted, fmt.Errorf("repairing gaps: loading a position: %w", err))
		}
		positions[source.ID] = position
	}
	var outcome struct {
		sync.Mutex
		more   bool
		errors []error
	}
	var turns errgroup.Group
	turns.SetLimit(sourcesAtOnce)
	ends := r.options.Now().Add(stepTime)
	for _, source := range r.due(sources, positions) {
		turns.Go(func() error {
			if ctx.Err() != nil || !r.options.Now().Before(ends) {
				outcome.Lock()
				defer outcome.Unlock()
				outcome.more = true
				return nil
			}
			more, err := r.turn(ctx, source, positions[source.ID])
			outcome.Lock()
			defer outcome.Unlock()
			outcome.more = outcome.more || more
			if err != nil {
				outcome.errors = append(outcome.errors, fmt.Errorf("repairing gaps of %s: %w%s", source.shown(), err, cause(err)))
			}
			return nil
		})
	}
	_ = turns.Wait() // its functions return none
	return outcome.more && ctx.Err() == nil, errors.Join(append(outcome.errors, unlisted, ctx.Err())...)
}

// due lists those that may have a turn, the one that waits longest first.
func (r *Runner) due(sources []Source, positions map[delivery.ID]Position) []Source {
	now := r.options.Now()
	times := make(map[delivery.ID]time.Time, len(sources))
	var due []Source
	for _, source := range sources {
		at := readState(positions[source.ID].State).notBefore(now, source.Interval)
		if mine := r.unsavedOf(source.ID).notBefore(now, source.Interval); mine.After(at) {
			at = mine
		}
		if times[source.ID] = at; !at.After(now) {
			due = append(due, source)
		}
	}
	slices.SortStableFunc(due, func(a, b Source) int {
		return cmp.Or(times[a.ID].Compare(times[b.ID]), slices.Compare(a.ID[:], b.ID[:]))
	})
	return due
}

func (r *Runner) unsavedOf(source delivery.ID) state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unsaved[source]
}

// save keeps a position. Of a state that cannot be saved, only the pause counts.
func (r *Runner) save(ctx context.Context, source delivery.ID, s state, position Position, found int) error {
	position.State = s.text()
	err := r.options.Positions.Save(ctx, source, position, found)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.unsaved[source] = s
		return fmt.Errorf("keeping how far a source was compared: %w", err)
	}
	delete(r.unsaved, source)
	return nil
}

func (r *Runner) turn(ctx context.Context, source Source, position Position) (more bool, err error) {
	if err := source.Check(); err != nil {
		s := readState(position.State)
		s.Next = r.options.Now().Add(hopelessPause)
		noted := Position{CheckedAt: position.CheckedAt, LastError: err.Error()}
		return false, errors.Join(err, r.save(ctx, source.ID, s, noted, 0))
	}
	t := r.newTurn(&source)
	more, err = t.run(ctx, position)
	r.options.Observer.GapsCompared(source.Provider, t.report, err)
	return more, err
}

package publish

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/malotehq/malote/internal/delivery"
)

// Bounds of one transaction. A unit that is larger by itself goes alone.
const (
	maxGroupEvents = 256
	maxGroupBytes  = 8 << 20
)

// commitTimeout bounds a transaction whose publishers have perhaps all gone, and
// then once more all that is tried in its place.
const commitTimeout = 15 * time.Second

// companyTime is how long a group waits for the one that is being committed, so
// that it grows with the load, and no longer: the other may wait for somebody's lock.
const companyTime = 10 * time.Millisecond

// aloneAtOnce is how many units of a failed group are tried at the same time:
// more than one, so that a unit that has to wait for a lock does not use up the
// time of the rest, and no more, to leave others the connections.
const aloneAtOnce = 2

// groupCommit lets concurrent publishes share transactions. It never waits for
// company: whatever arrived while the last commit ran, is the next group. So a
// lone publish pays no delay, and a crowd pays one commit together.
type groupCommit struct {
	storage  Storage
	planner  delivery.Planner
	waker    Waker
	observer Observer
	log      *slog.Logger

	committers int
	turn       chan struct{} // holds a token while the first of the groups under way is committed
	arrivals   chan *unit    // without room: who was received from has a committer
	stopped    chan struct{} // closed when no committer takes units any more
}

// unit is one request: its drafts commit together or not at all, or, where it is
// loose, each for itself. done is written once, by the committer that took it.
type unit struct {
	drafts []*delivery.Draft
	loose  bool
	bytes  int
	done   chan outcome
}

type outcome struct {
	published []delivery.Published
	err       error
}

func newGroupCommit(options Options) *groupCommit {
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &groupCommit{
		storage: options.Storage, planner: planner{options.Policies, &filters{log: log}}.Plan,
		waker: options.Waker, observer: options.Observer, log: log,
		committers: options.Committers, turn: make(chan struct{}, 1),
		arrivals: make(chan *unit), stopped: make(chan struct{}),
	}
}

// submit hands a unit to a committer and waits for its commit. A publisher that
// goes away meanwhile leaves its unit to be committed all the same.
func (g *groupCommit) submit(ctx context.Context, drafts []*delivery.Draft) ([]delivery.Published, error) {
	return g.hand(ctx, &unit{drafts: drafts, done: make(chan outcome, 1)})
}

// submitLoose is submit for drafts that have nothing to do with each other: each
// is refused or written by itself. An error is of all that were not written.
func (g *groupCommit) submitLoose(ctx context.Context, drafts []*delivery.Draft) ([]delivery.Published, error) {
	return g.hand(ctx, &unit{drafts: drafts, loose: true, done: make(chan outcome, 1)})
}

func (g *groupCommit) hand(ctx context.Context, u *unit) ([]delivery.Published, error) {
	for _, draft := range u.drafts {
		u.bytes += len(draft.Data) + len(draft.Event.Body)
	}
	select {
	case g.arrivals <- u:
	case <-g.stopped:
		return nil, ErrStopped
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case result := <-u.done:
		return result.published, result.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *groupCommit) run(ctx context.Context) {
	var committers sync.WaitGroup
	for range g.committers {
		committers.Go(func() { g.commitUntil(ctx) })
	}
	committers.Wait()
	close(g.stopped)
}

func (g *groupCommit) commitUntil(ctx context.Context) {
	var left *unit // taken, but too much for the last group
	for {
		group := []*unit{left}
		if left == nil {
			select {
			case <-ctx.Done():
				return
			case group[0] = <-g.arrivals:
			}
		}
		var isFirst bool
		group, left, isFirst = g.gather(ctx, group)
		g.commit(group)
		if isFirst {
			<-g.turn
		}
	}
}

// gather adds whatever arrives until it is the group's turn, within the bounds of
// one transaction, and nothing once ctx has ended. isFirst: it has the turn.
func (g *groupCommit) gather(ctx context.Context, group []*unit) (_ []*unit, left *unit, isFirst bool) {
	events, bytes := len(group[0].drafts), group[0].bytes
	wait := time.NewTimer(companyTime)
	defer wait.Stop()
	for ctx.Err() == nil {
		next := g.arrived()
		if next == nil {
			if isFirst || events >= maxGroupEvents {
				break
			}
			select {
			case next = <-g.arrivals:
			case g.turn <- struct{}{}:
				isFirst = true // and once more what arrived meanwhile
				continue
			case <-wait.C:
				return group, nil, false
			case <-ctx.Done():
				return group, nil, false
			}
		}
		events, bytes = events+len(next.drafts), bytes+next.bytes
		if events > maxGroupEvents || bytes > maxGroupBytes {
			return group, next, isFirst
		}
		group = append(group, next)
	}
	return group, nil, isFirst
}

// arrived is a unit that waits already; nil: none does.
func (g *groupCommit) arrived() *unit {
	select {
	case next := <-g.arrivals:
		return next
	default:
		return nil
	}
}

// commit writes a group. When a group of several fails, each unit is tried by
// itself, so that one that cannot be written never harms the others.
func (g *groupCommit) commit(group []*unit) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	published, err := g.write(ctx, group)
	if err != nil && len(group) > 1 {
		g.log.Warn("a shared publish failed; trying its parts alone", "error", err, "units", len(group))
		g.commitAlone(group)
		return
	}
	for _, u := range group {
		if err != nil {
			u.done <- outcome{err: err}
			continue
		}
		u.done <- outcome{published: published[:len(u.drafts):len(u.drafts)]}
		published = published[len(u.drafts):]
	}
}

func (g *groupCommit) commitAlone(group []*unit) {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	var parts errgroup.Group
	parts.SetLimit(aloneAtOnce)
	for _, u := range group {
		parts.Go(func() error {
			published, err := g.write(ctx, []*unit{u})
			u.done <- outcome{published, err}
			return nil
		})
	}
	_ = parts.Wait() // every unit has its own error
}

// write is one transaction, and what follows from its success. It gives copies
// away: what storage fills in while it tries, ids above all, must not be there
// when the same drafts are tried again in a later transaction (D15).
func (g *groupCommit) write(ctx context.Context, group []*unit) ([]delivery.Published, error) {
	var drafts []*delivery.Draft
	number := 0
	for _, u := range group {
		for i, draft := range u.drafts {
			if i > 0 && u.loose {
				number++
			}
			try := *draft
			try.Unit = number
			drafts = append(drafts, &try)
		}
		number++
	}
	started := time.Now()
	published, lanes, err := g.storage.Publish(ctx, drafts, g.planner)
	g.observer.PublishCommitted(len(drafts), time.Since(started), err)
	g.waker.Wake(lanes) // also beside an error: an earlier round may be committed
	if err != nil {
		return nil, err
	}
	g.observe(published)
	return published, nil
}

func (g *groupCommit) observe(published []delivery.Published) {
	var events, duplicates, refused int
	for _, p := range published {
		switch {
		case p.Err != nil:
			refused++
		case p.Duplicate:
			duplicates++
		default:
			events++
		}
	}
	g.observer.Published(events, duplicates, refused)
}

package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("the database is away")

// ledger is a Storage that notes transactions, each of which takes a while.
// What becomes of a draft depends on the draft alone, so that whoever gets
// another's result shows.
type ledger struct {
	commitTime time.Duration
	refuses    func(ctx context.Context, drafts []*delivery.Draft) error // fails a whole transaction; nil: none
	refusesOne func(draft *delivery.Draft) error                         // refuses the draft's unit; nil: none

	mu      sync.Mutex
	commits [][]*delivery.Draft // those that worked
	tries   []int               // drafts in each, those that failed included
	running int
	most    int
	wrong   string // a rule of Storage that was broken
}

func (l *ledger) Publish(ctx context.Context, drafts []*delivery.Draft, _ delivery.Planner) ([]delivery.Published, []delivery.LaneRef, error) {
	l.enter(drafts)
	defer l.leave()
	l.identify(drafts)
	if err := wait(ctx, l.commitTime); err != nil {
		return nil, nil, err
	}
	if l.refuses != nil {
		if err := l.refuses(ctx, drafts); err != nil {
			return nil, nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commits = append(l.commits, slices.Clone(drafts))
	refused := l.refusedUnits(drafts)
	results := make([]delivery.Published, len(drafts))
	var lanes []delivery.LaneRef
	for i, draft := range drafts {
		results[i] = resultOf(draft)
		if err := refused[draft.Unit]; err != nil {
			results[i] = delivery.Published{Err: err}
		}
		lanes = append(lanes, delivery.LaneRef{EndpointID: draft.Event.ID})
	}
	return results, lanes, nil
}

func (l *ledger) enter(drafts []*delivery.Draft) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running++
	l.most = max(l.most, l.running)
	l.tries = append(l.tries, len(drafts))
	for i, draft := range drafts {
		if i == 0 && draft.Unit != 0 || i > 0 && draft.Unit != drafts[i-1].Unit && draft.Unit != drafts[i-1].Unit+1 {
			l.wrong = fmt.Sprintf("draft %d is of unit %d", i, draft.Unit)
		}
	}
}

// identify does what the database's part is: even of a transaction that fails.
func (l *ledger) identify(drafts []*delivery.Draft) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, draft := range drafts {
		if !draft.Event.ID.IsZero() || !draft.Event.AcceptedAt.IsZero() || !draft.Event.OccurredAt.IsZero() {
			l.wrong = draft.Event.Type + " comes with what only the transaction may say"
		}
		draft.Event.ID = newID()
		draft.Event.AcceptedAt = draft.Event.ID.Time()
		draft.Event.OccurredAt = draft.Event.AcceptedAt
	}
}

func (l *ledger) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
}

func (l *ledger) refusedUnits(drafts []*delivery.Draft) map[int]error {
	refused := make(map[int]error)
	for _, draft := range drafts {
		if l.refusesOne == nil || refused[draft.Unit] != nil {
			continue
		}
		refused[draft.Unit] = l.refusesOne(draft)
	}
	return refused
}

// resultOf is what an accepted draft comes to.
func resultOf(draft *delivery.Draft) delivery.Published {
	return delivery.Published{ID: draft.Event.ID, Duplicate: draft.Event.ID[9]%2 == 0, Deliveries: int(draft.Event.ID[10])}
}

// committed are the drafts' types, transaction by transaction.
func (l *ledger) committed() [][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all [][]string
	for _, drafts := range l.commits {
		var types []string
		for _, draft := range drafts {
			types = append(types, draft.Event.Type)
		}
		all = append(all, types)
	}
	return all
}

// wait takes d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// woken is a Waker that notes.
type woken struct {
	mu    sync.Mutex
	lanes []delivery.LaneRef
}

func (w *woken) Wake(lanes []delivery.LaneRef) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lanes = append(w.lanes, lanes...)
}

func (w *woken) has(id delivery.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.lanes, delivery.LaneRef{EndpointID: id})
}

// counted is an Observer that counts.
type counted struct {
	mu                          sync.Mutex
	events, duplicates, refused int
	batches, failed             []int
}

func (c *counted) Published(events, duplicates, refused int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events, c.duplicates, c.refused = c.events+events, c.duplicates+duplicates, c.refused+refused
}

func (c *counted) PublishCommitted(batch int, _ time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failed = append(c.failed, batch)
	} else {
		c.batches = append(c.batches, batch)
	}
}

// presets finds the policies that ship.
type presets struct{}

func (presets) Policy(name string) (*policy.Policy, error) {
	if p, known := policy.Preset(name); known {
		return p, nil
	}
	return nil, fmt.Errorf("no policy %q", name)
}

// rig is a service with everything around it.
type rig struct {
	*Service
	ledger   *ledger
	waker    *woken
	observer *counted

	stop  context.CancelFunc
	ended chan struct{} // closed when Run has returned
}

// start runs a service until the test ends, or r.stop is called.
func start(t *testing.T, l *ledger, committers int) *rig {
	t.Helper()
	r := &rig{ledger: l, waker: &woken{}, observer: &counted{}, ended: make(chan struct{})}
	r.Service = New(Options{
		Storage: l, Policies: presets{}, Waker: r.waker, Observer: r.observer, Committers: committers, MaxBody: maxGroupBytes,
	})
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() {
		defer close(r.ended)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	return r
}

// events are requests whose types are numbered from the given one.
func events(n, from int) []Request {
	var list []Request
	for i := range n {
		list = append(list, Request{Tenant: "acme", Type: fmt.Sprintf("e%d", from+i), Data: []byte("1")})
	}
	return list
}

func numbered(n, from int) []string {
	var types []string
	for _, request := range events(n, from) {
		types = append(types, request.Type)
	}
	return types
}

func newID() delivery.ID { return delivery.NewID(delivery.ShardOf("acme"), time.Now(), rand.Reader) }

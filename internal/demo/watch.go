package demo

import (
	"context"
	"sync"
	"time"
)

// progress is how far the demo has come. The acting goroutine writes it, the
// watching one reads it.
type progress struct {
	mu    sync.Mutex
	phase phase
	part  float64
	words string
	stage *stage // nil: not everybody is there yet
}

func (p *progress) set(to phase, part float64, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.part, p.words = to, part, words
}

func (p *progress) raise(s *stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = s
}

func (p *progress) board(at time.Time) (*board, *stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &board{at: at, phase: p.phase, part: p.part, words: p.words}, p.stage
}

// looksPerDead is how many looks at the endpoints come between two at the dead
// deliveries, which take longer.
const looksPerDead = 3

// lookTimeout is how long a look may take before it is said that the figures are
// old.
const lookTimeout = 3 * time.Second

// watcher looks at the API in a steady rhythm and shows what it sees.
type watcher struct {
	client   *client
	progress *progress
	screen   *screen
	rhythm   time.Duration
	began    time.Time
	boards   chan *board // the newest one, for who waits for a certain sight

	looks int
	dead  map[string]int // by endpoint id
	rows  []row          // of the last look that worked
}

// run looks and shows until ctx ends.
func (w *watcher) run(ctx context.Context) {
	ticker := time.NewTicker(w.rhythm)
	defer ticker.Stop()
	for {
		b := w.look(ctx)
		if ctx.Err() != nil {
			return
		}
		w.screen.show(b)
		select { // whoever did not take the last one gets this instead
		case <-w.boards:
		default:
		}
		w.boards <- b
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (w *watcher) look(ctx context.Context) *board {
	b, s := w.progress.board(time.Now())
	if s == nil {
		return b
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	views, err := w.client.endpoints(ctx)
	if err == nil && w.looks%looksPerDead == 0 {
		err = w.lookAtDead(ctx)
	}
	if err != nil {
		b.rows, b.trouble = w.rows, "These figures are old: "+err.Error()
		return b
	}
	w.looks++
	byID := make(map[string]endpointView, len(views))
	for _, view := range views {
		byID[view.ID] = view
	}
	for _, e := range s.endpoints {
		b.rows = append(b.rows, rowOf(e, byID[e.id], w.dead[e.id], b.at))
	}
	sortRows(b.rows)
	w.rows = b.rows
	return b
}

func (w *watcher) lookAtDead(ctx context.Context) error {
	found, err := w.client.dead(ctx, w.began)
	if err != nil {
		return err
	}
	w.dead = make(map[string]int)
	for _, d := range found {
		w.dead[d.EndpointID]++
	}
	return nil
}

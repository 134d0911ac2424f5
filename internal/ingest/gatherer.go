package ingest

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

const (
	// flushEvery is how often rejections are written down.
	flushEvery = 5 * time.Second
	// rowEvery is how often a source has a row for the same reason: the first is
	// soon there to be seen, and a flood that goes on fills no table.
	rowEvery = time.Minute
	// flushTime bounds one writing, and how long a stop waits for the last.
	flushTime = 3 * time.Second
	// gathered bounds the rows that wait to be written: a source has few reasons
	// at a time.
	gathered = 2000

	maxDetail = 300 // bytes
)

// Gatherer keeps rejections in memory, one for each source and reason, and writes
// them down from time to time: a flood of bad requests costs a row a minute. What
// waits when the process dies is lost.
type Gatherer struct {
	rejections Rejections
	log        *slog.Logger

	mu      sync.Mutex
	waiting map[rejectionKey]Rejection
	written map[rejectionKey]time.Time // those of the last rowEvery
	lost    int64                      // had no room
}

type rejectionKey struct {
	source delivery.ID
	reason source.Reason
}

// NewGatherer makes one. Run must be running.
func NewGatherer(rejections Rejections, log *slog.Logger) *Gatherer {
	return &Gatherer{
		rejections: rejections, log: log,
		waiting: make(map[rejectionKey]Rejection), written: make(map[rejectionKey]time.Time),
	}
}

// Run writes down what was gathered, until ctx ends, and then the rest.
func (g *Gatherer) Run(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			g.flush(ctx, g.due(time.Now()))
		case <-ctx.Done():
			g.flush(context.WithoutCancel(ctx), all)
			return
		}
	}
}

// add never waits for anything but others who add.
func (g *Gatherer) add(r Rejection) {
	r.Detail = shortened(r.Detail)
	g.mu.Lock()
	defer g.mu.Unlock()
	key := rejectionKey{r.Source, r.Reason}
	present, known := g.waiting[key]
	switch {
	case known:
		g.waiting[key] = merged(present, r)
	case len(g.waiting) < gathered:
		g.waiting[key] = r
	default:
		g.lost += r.Count
	}
}

// shortened cuts a detail, of which some may come from the sender.
func shortened(detail string) string {
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	return strings.ToValidUTF8(detail, "")
}

func merged(a, b Rejection) Rejection {
	if b.Last.Before(a.Last) {
		a, b = b, a
	}
	b.Count += a.Count
	if a.First.Before(b.First) {
		b.First = a.First
	}
	return b
}

// all says of every key that it may be written.
func all(rejectionKey) bool { return true }

// due says of which keys there is no row of the last rowEvery, to take, which
// holds the lock.
func (g *Gatherer) due(now time.Time) func(rejectionKey) bool {
	return func(key rejectionKey) bool {
		last, wasWritten := g.written[key]
		return !wasWritten || now.Sub(last) >= rowEvery
	}
}

// flush writes what waits and may be written, in one statement. What cannot be
// written waits on.
func (g *Gatherer) flush(ctx context.Context, may func(rejectionKey) bool) {
	rejections, lost := g.take(may)
	if lost > 0 {
		g.log.Warn("too many sources turned requests away at once; some have no record", "requests", lost)
	}
	if len(rejections) == 0 {
		return
	}
	within, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := g.rejections.RecordRejections(within, rejections); err != nil {
		g.log.Warn("writing down the requests that were turned away failed; it is tried again", "error", err)
		for _, r := range rejections {
			g.add(r)
		}
		return
	}
	g.note(rejections, time.Now())
}

func (g *Gatherer) take(may func(rejectionKey) bool) ([]Rejection, int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var rejections []Rejection
	for key, r := range g.waiting {
		if may(key) {
			rejections = append(rejections, r)
			delete(g.waiting, key)
		}
	}
	lost := g.lost
	g.lost = 0
	return rejections, lost
}

// note remembers what has a row now, and forgets what may have another.
func (g *Gatherer) note(rejections []Rejection, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.written, func(_ rejectionKey, last time.Time) bool { return now.Sub(last) >= rowEvery })
	for _, r := range rejections {
		g.written[rejectionKey{r.Source, r.Reason}] = now
	}
}

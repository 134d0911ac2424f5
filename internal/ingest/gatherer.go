package ingest

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/source"
)

const (
	// flushEvery is how often rejections are written down.
	flushEvery = 5 * time.Second
	// flushTime bounds one writing, and how long a stop waits for the last.
	flushTime = 3 * time.Second
	// gathered bounds the rows that wait to be written: a source has few reasons
	// at a time.
	gathered = 2000

	maxDetail = 300 // bytes
)

// Gatherer keeps rejections in memory, one for each source and reason, and writes
// them down from time to time: a flood of bad requests costs a row every few
// seconds. What waits when the process dies is lost.
type Gatherer struct {
	rejections Rejections
	log        *slog.Logger

	mu      sync.Mutex
	waiting map[rejectionKey]Rejection
	lost    int64 // had no room
}

type rejectionKey struct {
	source delivery.ID
	reason source.Reason
}

// NewGatherer makes one. Run must be running.
func NewGatherer(rejections Rejections, log *slog.Logger) *Gatherer {
	return &Gatherer{rejections: rejections, log: log, waiting: make(map[rejectionKey]Rejection)}
}

// Run writes down what was gathered, until ctx ends, and then the rest.
func (g *Gatherer) Run(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			g.flush(ctx)
		case <-ctx.Done():
			g.flush(context.WithoutCancel(ctx))
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

// flush writes what waits, in one statement. What cannot be written waits on.
func (g *Gatherer) flush(ctx context.Context) {
	rejections, lost := g.take()
	if lost > 0 {
		g.log.Warn("too many sources turned requests away at once; some have no record", "requests", lost)
	}
	if len(rejections) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := g.rejections.RecordRejections(ctx, rejections); err != nil {
		g.log.Warn("writing down the requests that were turned away failed; it is tried again", "error", err)
		for _, r := range rejections {
			g.add(r)
		}
	}
}

func (g *Gatherer) take() ([]Rejection, int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	rejections, lost := slices.Collect(maps.Values(g.waiting)), g.lost
	g.waiting, g.lost = make(map[rejectionKey]Rejection), 0
	return rejections, lost
}

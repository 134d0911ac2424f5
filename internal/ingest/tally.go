package ingest

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// tallied bounds the rows that wait to be written: a source has one, or two about
// a full hour.
const tallied = 10_000

// Arrivals are what came in by one source in one hour. All but Rejected are
// events; those are requests.
type Arrivals struct {
	Source delivery.ID
	Hour   time.Time // its beginning

	Accepted, Duplicates, Filtered, Rejected int64
}

// ArrivalRecords adds some to what is written down already, in one statement.
type ArrivalRecords interface {
	AddArrivals(ctx context.Context, arrivals []Arrivals) error
}

// Tally counts in memory what comes in by each source, and writes it down every few
// seconds, for charts: what waits when the process dies is lost.
type Tally struct {
	records ArrivalRecords
	log     *slog.Logger

	mu      sync.Mutex
	waiting map[tallyKey]Arrivals
}

type tallyKey struct {
	source delivery.ID
	hour   int64 // seconds since 1970
}

// NewTally makes one. Run must be running.
func NewTally(records ArrivalRecords, log *slog.Logger) *Tally {
	return &Tally{records: records, log: log, waiting: make(map[tallyKey]Arrivals)}
}

// Run writes down what was counted, until ctx ends, and then the rest.
func (t *Tally) Run(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.flush(ctx)
		case <-ctx.Done():
			t.flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// add never waits for anything but others who add. A nil tally counts nothing.
func (t *Tally) add(a Arrivals) {
	if t == nil {
		return
	}
	a.Hour = a.Hour.UTC().Truncate(time.Hour)
	t.mu.Lock()
	defer t.mu.Unlock()
	key := tallyKey{a.Source, a.Hour.Unix()}
	present, known := t.waiting[key]
	if !known && len(t.waiting) >= tallied {
		return // while nothing can be written; a chart lacks it
	}
	a.Accepted += present.Accepted
	a.Duplicates += present.Duplicates
	a.Filtered += present.Filtered
	a.Rejected += present.Rejected
	t.waiting[key] = a
}

// flush writes what waits, in one statement. What cannot be written waits on.
func (t *Tally) flush(ctx context.Context) {
	arrivals := t.take()
	if len(arrivals) == 0 {
		return
	}
	within, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := t.records.AddArrivals(within, arrivals); err != nil {
		t.log.Warn("writing down what came in by sources failed; it is tried again", "error", err)
		for _, a := range arrivals {
			t.add(a)
		}
	}
}

// take is in the order of the rows' key, so that two processes do not wait for each
// other crosswise.
func (t *Tally) take() []Arrivals {
	t.mu.Lock()
	defer t.mu.Unlock()
	arrivals := make([]Arrivals, 0, len(t.waiting))
	for _, a := range t.waiting {
		arrivals = append(arrivals, a)
	}
	clear(t.waiting)
	slices.SortFunc(arrivals, func(a, b Arrivals) int {
		return cmp.Or(cmp.Compare(a.Source.Shard(), b.Source.Shard()), bytes.Compare(a.Source[:], b.Source[:]), a.Hour.Compare(b.Hour))
	})
	return arrivals
}

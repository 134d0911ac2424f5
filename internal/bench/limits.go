package bench

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/malotehq/malote/internal/bench/report"
	"github.com/malotehq/malote/internal/store/benchdata"
)

const (
	limitSteps = 3
	// cycleBatch is how many events share a transaction: as many as Malote gathers at
	// most.
	cycleBatch = 256
	// cyclers is how many run cycles at once: enough to compute while another waits
	// for the disk.
	cyclers = 4
	// posters is how many POST at once.
	posters = 64
)

// limits measures what the machine does with nothing between.
func (b *bench) limits(ctx context.Context) error {
	found := report.Limits{Batch: cycleBatch}
	for _, limit := range []struct {
		name  string
		into  *float64
		posts int // of each event
		cycle bool
	}{
		{"bare loopback POSTs", &found.Requests, 1, false},
		{"bare PostgreSQL cycles", &found.Cycles, 0, true},
		{"both together", &found.Both, 2, true},
	} {
		b.step("%s", limit.name)
		rate, err := b.limit(ctx, limit.posts, limit.cycle)
		if err != nil {
			return err
		}
		*limit.into = rate
	}
	b.report.Limits = &found
	return nil
}

// limit is how many events a second get through, each with so many POSTs and, if
// so wished, its part of a cycle.
func (b *bench) limit(ctx context.Context, posts int, cycle bool) (float64, error) {
	r, err := openReceivers(ctx)
	if err != nil {
		return 0, err
	}
	defer r.close()
	l := &limiting{url: r.url + "/", client: newHTTPClient(posters), posts: posts, body: strings.Repeat("x", eventSize)}
	if cycle {
		d, err := b.openDatabase(ctx)
		if err != nil {
			return 0, err
		}
		defer d.close()
		s, err := d.openStore(ctx)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		l.cycles = benchdata.NewCycles(s)
	}
	return l.run(ctx, b.WarmUp, b.Duration)
}

// limiting is one limit being measured.
type limiting struct {
	url    string
	client httpClient
	posts  int
	body   string
	cycles *benchdata.Cycles // nil: none

	through atomic.Int64
}

func (l *limiting) run(ctx context.Context, warmUp, d time.Duration) (float64, error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, cyclers)
	var workers sync.WaitGroup
	for range cyclers {
		workers.Go(func() {
			for working.Err() == nil {
				if err := l.batch(working); err != nil && working.Err() == nil {
					failed <- err
					return
				}
			}
		})
	}
	defer workers.Wait()
	defer stop()
	if err := waitOrFail(ctx, warmUp, failed); err != nil {
		return 0, err
	}
	began, before := time.Now(), l.through.Load()
	if err := waitOrFail(ctx, d, failed); err != nil {
		return 0, err
	}
	// Batches count when they are through: on a slow machine, later than d.
	for l.through.Load() == before && time.Since(began) < d+patience {
		if err := waitOrFail(ctx, pollEvery, failed); err != nil {
			return 0, err
		}
	}
	return float64(l.through.Load()-before) / time.Since(began).Seconds(), nil
}

func waitOrFail(ctx context.Context, d time.Duration, failed <-chan error) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case err := <-failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// batch takes one batch all the way: in, cycle, out.
func (l *limiting) batch(ctx context.Context) error {
	if l.cycles == nil {
		return l.post(ctx, l.posts, true)
	}
	if err := l.post(ctx, l.posts/2, false); err != nil {
		return err
	}
	rows, err := l.cycles.Insert(ctx, cycleBatch, []byte(l.body))
	if err != nil {
		return err
	}
	if err := rows.Claim(ctx); err != nil {
		return err
	}
	if err := l.post(ctx, l.posts-l.posts/2, false); err != nil {
		return err
	}
	if err := rows.Complete(ctx); err != nil {
		return err
	}
	l.through.Add(cycleBatch)
	return nil
}

// post makes the batch's POSTs, a cycler's share of posters at once.
func (l *limiting) post(ctx context.Context, each int, counts bool) error {
	if each == 0 {
		return nil
	}
	const atOnce = posters / cyclers
	errs := make(chan error, atOnce)
	var left atomic.Int64
	left.Store(int64(each * cycleBatch))
	for range atOnce {
		go func() {
			var err error
			for err == nil && left.Add(-1) >= 0 {
				if _, err = post(ctx, l.client, l.url, l.body); err == nil && counts {
					l.through.Add(1)
				}
			}
			errs <- err
		}()
	}
	var first error
	for range atOnce {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

package pulse

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed queries/beat.sql
var beatSQL string

//go:embed queries/recent.sql
var recentSQL string

//go:embed queries/forget.sql
var forgetSQL string

// Bounds are the upper bounds of Counts.Latency, in milliseconds; the last count
// is of the rest. Rows of another length are another version's, and their
// latencies are left out.
var Bounds = []int64{
	1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700,
	1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000,
}

// Counts is what was done in some time.
type Counts struct {
	Published  int64 // events that were committed, by whatever way they came
	OK, Failed int64 // attempts
	Latency    []int64
}

// Beat writes down what this process did in the time before now.
func (p *Pulse) Beat(ctx context.Context, span time.Duration, counts Counts) error {
	_, err := p.pool.Exec(ctx, beatSQL, p.process, span.Seconds(), counts.Published, counts.OK, counts.Failed, counts.Latency)
	if err != nil {
		return fmt.Errorf("writing down what this process did: %w", err)
	}
	return nil
}

// Forget removes beats that nobody asks for any more.
func (p *Pulse) Forget(ctx context.Context) error {
	if _, err := p.pool.Exec(ctx, forgetSQL); err != nil {
		return fmt.Errorf("removing old beats: %w", err)
	}
	return nil
}

// Recent is what all processes did lately.
type Recent struct {
	Counts
	Span      time.Duration // that the counts are of: as asked, or since the first of all beats
	Processes int           // that wrote in this time
}

// Recent sums up the beats of the last span.
func (p *Pulse) Recent(ctx context.Context, span time.Duration) (Recent, error) {
	recent := Recent{Counts: Counts{Latency: make([]int64, len(Bounds)+1)}}
	processes := make(map[string]bool)
	var process string
	var ago, seconds, oldest float64
	var c Counts
	rows, _ := p.pool.Query(ctx, recentSQL, span.Seconds())
	_, err := pgx.ForEachRow(rows, []any{&process, &ago, &seconds, &c.Published, &c.OK, &c.Failed, &c.Latency}, func() error {
		processes[process] = true
		oldest = max(oldest, ago+seconds)
		recent.Add(c)
		return nil
	})
	if err != nil {
		return Recent{}, fmt.Errorf("summing up what all processes did: %w", err)
	}
	recent.Processes = len(processes)
	recent.Span = min(span, time.Duration(oldest*float64(time.Second)))
	return recent, nil
}

// Add counts what another did, too; latencies only if they are by the same bounds.
func (c *Counts) Add(other Counts) {
	c.Published += other.Published
	c.OK += other.OK
	c.Failed += other.Failed
	if len(other.Latency) != len(c.Latency) {
		return
	}
	for i, n := range other.Latency {
		c.Latency[i] += n
	}
}

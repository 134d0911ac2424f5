// Package riverqueue lets events wait as jobs of River: an event is a job with its
// body, inserted in a transaction, and River's workers send. There is no other row:
// the jobs that River keeps are all the history. It is set for throughput, as
// River's own benchmark is.
package riverqueue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/malotehq/malote/bench/pipeline"
)

// River's own benchmark fetches as often.
const (
	fetchCooldown = 2 * time.Millisecond
	fetchPoll     = 20 * time.Millisecond
)

// Queue implements pipeline.Queue.
type Queue struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	worker *worker
}

// job is an event on its way.
type job struct{ pipeline.Event }

// Kind implements river.JobArgs.
func (job) Kind() string { return "webhook" }

type worker struct {
	river.WorkerDefaults[job]
	send func(context.Context, pipeline.Event) error
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error { return w.send(ctx, j.Args.Event) }

// Open makes River's tables in an empty database.
func Open(ctx context.Context, pool *pgxpool.Pool, maxInFlight int) (*Queue, error) {
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("preparing River's migrations: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, fmt.Errorf("migrating River: %w", err)
	}
	q := &Queue{pool: pool, worker: &worker{}}
	workers := river.NewWorkers()
	river.AddWorker(workers, q.worker)
	q.client, err = river.NewClient(driver, &river.Config{
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: maxInFlight}},
		FetchCooldown: fetchCooldown, FetchPollInterval: fetchPoll,
		Workers: workers, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, fmt.Errorf("making River's client: %w", err)
	}
	return q, nil
}

// Put implements pipeline.Queue.
func (q *Queue) Put(ctx context.Context, e pipeline.Event) error {
	return pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		_, err := q.client.InsertTx(ctx, tx, job{e}, nil)
		return err
	})
}

// Run implements pipeline.Queue.
func (q *Queue) Run(ctx context.Context, send func(context.Context, pipeline.Event) error) error {
	q.worker.send = send
	if err := q.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("starting River: %w", err)
	}
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := q.client.StopAndCancel(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stopping River: %w", err)
	}
	return nil
}

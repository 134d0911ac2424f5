// Package textbook lets events wait in a table that workers take rows from with
// SELECT … FOR UPDATE SKIP LOCKED, as articles about queues in PostgreSQL describe
// it: one row a delivery, held by the worker's transaction while it is sent, and
// deleted on success.
package textbook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/bench/pipeline"
)

const (
	batch     = 64 // rows that a worker takes at once
	emptyWait = 10 * time.Millisecond
	failWait  = time.Second
)

// Queue implements pipeline.Queue.
type Queue struct {
	pool    *pgxpool.Pool
	workers int
}

// Open makes the table in an empty database.
func Open(ctx context.Context, pool *pgxpool.Pool, maxInFlight int) (*Queue, error) {
	_, err := pool.Exec(ctx, `CREATE TABLE deliveries (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id text NOT NULL, url text NOT NULL, body bytea NOT NULL,
		attempts integer NOT NULL DEFAULT 0, next_attempt_at timestamptz NOT NULL DEFAULT now());
		CREATE INDEX deliveries_due ON deliveries (next_attempt_at, id)`)
	if err != nil {
		return nil, fmt.Errorf("making the table: %w", err)
	}
	return &Queue{pool, max(1, maxInFlight/batch)}, nil
}

// Put implements pipeline.Queue.
func (q *Queue) Put(ctx context.Context, e pipeline.Event) error {
	_, err := q.pool.Exec(ctx, `INSERT INTO deliveries (event_id, url, body) VALUES ($1, $2, $3)`, e.ID, e.URL, []byte(e.Body))
	return err
}

// Run implements pipeline.Queue.
func (q *Queue) Run(ctx context.Context, send func(context.Context, pipeline.Event) error) error {
	var workers sync.WaitGroup
	for range q.workers {
		workers.Go(func() {
			for ctx.Err() == nil {
				took, err := q.turn(ctx, send)
				if err != nil && ctx.Err() == nil {
					slog.Error("a turn failed", "error", err)
				}
				if took == 0 {
					wait(ctx, emptyWait)
				}
			}
		})
	}
	workers.Wait()
	return nil
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// row is a delivery that was taken.
type row struct {
	id    int64
	event pipeline.Event
	err   error
}

// turn takes rows, sends them and removes those that arrived, in one transaction.
func (q *Queue) turn(ctx context.Context, send func(context.Context, pipeline.Event) error) (took int, _ error) {
	return took, pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		rows, err := take(ctx, tx)
		if err != nil || len(rows) == 0 {
			return err
		}
		took = len(rows)
		var sends sync.WaitGroup
		for _, r := range rows {
			sends.Go(func() { r.err = send(ctx, r.event) })
		}
		sends.Wait()
		var arrived, failed []int64
		for _, r := range rows {
			if r.err == nil {
				arrived = append(arrived, r.id)
			} else {
				failed = append(failed, r.id)
			}
		}
		_, err = tx.Exec(ctx, `DELETE FROM deliveries WHERE id = ANY($1)`, arrived)
		if len(failed) > 0 {
			_, retried := tx.Exec(ctx, `UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = now() + $2 WHERE id = ANY($1)`, failed, failWait)
			err = errors.Join(err, retried)
		}
		return err
	})
}

func take(ctx context.Context, tx pgx.Tx) ([]*row, error) {
	found, err := tx.Query(ctx, `SELECT id, event_id, url, body FROM deliveries WHERE next_attempt_at <= now()
		ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED`, batch)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, func(one pgx.CollectableRow) (*row, error) {
		r := &row{}
		return r, one.Scan(&r.id, &r.event.ID, &r.event.URL, (*[]byte)(&r.event.Body))
	})
}

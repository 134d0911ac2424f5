package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// hotTries bounds how often a hot transaction is run again after the server
// gave it up in favour of another.
const hotTries = 8

// errAgain asks for the transaction to be run again, as if the server had.
var errAgain = errors.New("the transaction must run again")

// hotTx is a transaction on the hot pool.
type hotTx struct {
	pgx.Tx
	// before is an instant on this process's clock that was not after the
	// transaction's now(), however long anything took since.
	before time.Time
}

// inHotTx runs a transaction on the hot pool, again where the server ended it
// for the sake of others. do must therefore be free of lasting effects.
func (s *Store) inHotTx(ctx context.Context, what string, do func(hotTx) error) error {
	return tryAgain(ctx, what, func() error {
		return s.acquireHot(ctx, func(conn *pgxpool.Conn) error {
			before := time.Now()
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return do(hotTx{tx, before}) })
		})
	})
}

// inHotBatch is inHotTx for statements that don't depend on each other's results:
// they are a transaction of their own, in one round trip. fill is called for every
// try.
func (s *Store) inHotBatch(ctx context.Context, what string, fill func(*pgx.Batch)) error {
	return tryAgain(ctx, what, func() error {
		batch := &pgx.Batch{}
		fill(batch)
		return s.acquireHot(ctx, func(conn *pgxpool.Conn) error { return conn.SendBatch(ctx, batch).Close() })
	})
}

func tryAgain(ctx context.Context, what string, do func() error) error {
	var err error
	for try := range hotTries {
		if try > 0 {
			if err := pauseBetweenTries(ctx, try); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		if err = do(); !isRetryable(err) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func pauseBetweenTries(ctx context.Context, try int) error {
	timer := time.NewTimer(time.Duration(rand.Int64N(int64(try) * int64(5*time.Millisecond))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// SQLSTATEs after which the same transaction may succeed. Names are never
// matched: on Citus they carry suffixes.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	uniqueViolation      = "23505"
	lockNotAvailable     = "55P03"
)

// isRetryable includes unique violations: on hot paths the only ones are two
// transactions that made the same row at the same time (a pending delivery of
// one entity), and the second sees the first's row when it runs again.
func isRetryable(err error) bool {
	if errors.Is(err, errAgain) {
		return true
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case serializationFailure, deadlockDetected, uniqueViolation, lockNotAvailable:
		return true
	}
	return false
}

// asyncCommit lets the current transaction be acknowledged before it is on
// disk. Only for what may be lost: it is done again then.
const asyncCommit = `SELECT set_config('synchronous_commit', 'off', true)`

// planAnew lets the statements of the current transaction be planned for the
// values that they are given.
const planAnew = `SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`

// runBatch sends all statements at once and fails with the first that fails.
func runBatch(ctx context.Context, tx pgx.Tx, batch *pgx.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

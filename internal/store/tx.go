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

// hotTx is a transaction on the hot pool. It begins with its first batch, and ends
// with its last where that says so: every trip to the server costs time while
// locks are held.
type hotTx struct {
	conn         *pgx.Conn
	begun, ended bool
	// before is an instant on this process's clock that was not after the
	// transaction's now(), however long anything took since.
	before time.Time
}

// inHotTx runs a transaction on the hot pool, again where the server ended it
// for the sake of others. do must therefore be free of lasting effects. What do
// runs first must be a batch.
func (s *Store) inHotTx(ctx context.Context, what string, do func(*hotTx) error) error {
	return tryAgain(ctx, what, func() error {
		return s.acquireHot(ctx, func(conn *pgxpool.Conn) error {
			tx := &hotTx{conn: conn.Conn(), before: time.Now()}
			return tx.end(ctx, do(tx))
		})
	})
}

// end commits, unless do failed or has done it.
func (tx *hotTx) end(ctx context.Context, err error) error {
	switch {
	case !tx.begun || tx.ended && err == nil || tx.conn.IsClosed():
		return err
	case err != nil:
		// Past its own time a rollback would close the connection, which also ends
		// the transaction.
		if _, rollbackErr := tx.conn.Exec(ctx, "rollback"); rollbackErr != nil {
			_ = tx.conn.Close(context.WithoutCancel(ctx))
		}
		return err
	}
	tag, err := tx.conn.Exec(ctx, "commit")
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	if err != nil {
		_ = tx.conn.Close(context.WithoutCancel(ctx))
	}
	return err
}

// run sends all statements at once and fails with the first that fails.
func (tx *hotTx) run(ctx context.Context, batch *pgx.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	if !tx.begun {
		begin := &pgx.QueuedQuery{SQL: "begin"}
		batch.QueuedQueries = append([]*pgx.QueuedQuery{begin}, batch.QueuedQueries...)
		tx.begun = true
	}
	return tx.conn.SendBatch(ctx, batch).Close()
}

// finish is run, and commits with it. After an error the outcome may be unknown,
// as after that of any commit.
func (tx *hotTx) finish(ctx context.Context, batch *pgx.Batch) error {
	return tx.finishAnd(ctx, batch, func(*pgx.Batch) {})
}

// finishAnd is finish, and afterwards adds statements that go out with it and are
// another transaction.
func (tx *hotTx) finishAnd(ctx context.Context, batch *pgx.Batch, afterwards func(*pgx.Batch)) error {
	batch.Queue("commit").Exec(func(tag pgconn.CommandTag) error {
		if tag.String() == "ROLLBACK" {
			return pgx.ErrTxCommitRollback
		}
		tx.ended = true
		return nil
	})
	afterwards(batch)
	return tx.run(ctx, batch)
}

func (tx *hotTx) mustHaveBegun() {
	if !tx.begun || tx.ended {
		panic("store: a hot transaction begins with a batch, and ends with finish")
	}
}

// Query is pgx.Tx's.
func (tx *hotTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	tx.mustHaveBegun()
	return tx.conn.Query(ctx, sql, args...)
}

// QueryRow is pgx.Tx's.
func (tx *hotTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	tx.mustHaveBegun()
	return tx.conn.QueryRow(ctx, sql, args...)
}

// Exec is pgx.Tx's.
func (tx *hotTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tx.mustHaveBegun()
	return tx.conn.Exec(ctx, sql, args...)
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

// Package redelivery is what people do to deliveries that did not go well:
// replay closed ones, one by one or all that is dead of an endpoint, resolve dead
// ones, discard pending ones, and recover what a window of time holds, batch by
// batch. Each call is one decision, made under the locks of the rows that it
// rests on.
//
// It never sends, and never wakes a lane: the caller does that with the lanes
// it gets back, after the commit. Which states may be replayed or recovered is
// the caller's to say, by the policy.
//
// Lock order: a recovery, then lanes by (shard, endpoint_id), then queue rows by
// (shard, id), then deliveries by (shard, id).
package redelivery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/malotehq/malote/internal/store"
)

// Writer changes deliveries through the store's ordinary pool.
type Writer struct {
	store *store.Store

	stretchRows  int
	countingTime time.Duration
}

// New makes a writer on the store, which stays the caller's to close.
func New(s *store.Store) *Writer {
	return &Writer{store: s, stretchRows: stretchRows, countingTime: countingTime}
}

// tries bounds how often a transaction is run again that the server ended for
// the sake of others.
const tries = 8

// errAgain asks for another try, as if the server had ended this one.
var errAgain = errors.New("the decision must be made again")

// steady makes the plans of a transaction depend on what is asked for, and not on
// what the planner believes of tables that may have grown from nothing since it last
// looked: the hot connections are made so, and these work on the same rows, with
// lanes locked that claims wait for. Compiling a statement that looks into many
// partitions takes far longer than running it.
const steady = `SET LOCAL jit = off; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = off;
	SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`

var steadily = pgx.TxOptions{BeginQuery: "BEGIN; " + steady}

// inTx runs do in a transaction, again where that may help. before, which may
// be nil, comes first each time, while nothing is locked.
func (w *Writer) inTx(ctx context.Context, before func() error, do func(pgx.Tx) error) error {
	var err error
	for try := range tries {
		if err := pause(ctx, try); err != nil {
			return err
		}
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		if err = pgx.BeginTxFunc(ctx, w.store.Pool(), steadily, do); !mayHelpAgain(err) {
			return err
		}
	}
	return fmt.Errorf("after %d tries: %w", tries, err)
}

// pause lets those through that were in the way, longer with every try.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return nil
	}
	timer := time.NewTimer(rand.N(time.Duration(try) * 10 * time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// mayHelpAgain includes unique violations: a publisher may make an entity's
// pending delivery while a replay does.
func mayHelpAgain(err error) bool {
	if errors.Is(err, errAgain) {
		return true
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case "40001", "40P01", "23505", "55P03": // serialization, deadlock, unique, lock not available
		return true
	}
	return false
}

package redelivery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/recovery_lock.sql
var recoveryLockSQL string

//go:embed queries/recovery_load.sql
var recoveryLoadSQL string

//go:embed queries/recovery_move.sql
var recoveryMoveSQL string

//go:embed queries/recovery_end.sql
var recoveryEndSQL string

// RecoverBatch does the next batch of a running recovery: up to 500 deliveries
// go back into the queue, and the recovery's position moves with them, in one
// transaction. So whoever is killed in the middle has done all of a batch or
// nothing of it, and the next call goes on from there.
//
// Where a window holds little to recover, a batch may be 10,000 deliveries looked
// at and none put back: the position moves all the same, and no lane is locked for
// it, so that a long window costs many short transactions and never a long one.
//
// It does nothing, and says so, while the endpoint is disabled, while its queue
// is full enough (see laneLoad), while another process is at it, and if the
// recovery is not running any more. lanes must be woken by the caller, also with an
// error: the connection may have died after the commit.
func (w *Writer) RecoverBatch(ctx context.Context, id delivery.ID) (moved bool, lanes []delivery.LaneRef, _ error) {
	var b *recovering
	err := w.inTx(ctx,
		func() error {
			complete, err := w.store.CompleteUntil(ctx)
			b = &recovering{id: id, complete: complete, stretchRows: w.stretchRows}
			return err
		},
		func(tx pgx.Tx) error {
			b.tx = tx
			return b.run(ctx)
		})
	if b != nil && b.opened > 0 { // also if nobody knows whether it was committed
		lanes = []delivery.LaneRef{{Shard: b.window.Endpoint.Shard(), EndpointID: b.window.Endpoint}}
	}
	if err != nil {
		return false, lanes, fmt.Errorf("recovering deliveries (%s): %w", id.Format(delivery.RecoveryPrefix), err)
	}
	return b.moved, lanes, nil
}

// recovering is one batch. It locks the recovery before the lane: nobody who
// has a lane waits for a recovery.
type recovering struct {
	tx pgx.Tx
	id delivery.ID

	// complete is an instant before which no event appears any more: what a
	// publisher has skipped and not committed yet must not be walked past.
	complete    time.Time
	stretchRows int

	window                       Window
	total, recovered, passedOver int
	position                     delivery.ID

	opened int
	moved  bool
}

func (b *recovering) run(ctx context.Context) error {
	err := b.tx.QueryRow(ctx, recoveryLockSQL, b.id.Shard(), b.id).Scan(&b.window.Endpoint, &b.window.Since, &b.window.Until,
		&b.window.States, &b.total, &b.recovered, &b.passedOver, &b.position)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // ended, or another process is at it
	}
	if err != nil {
		return fmt.Errorf("locking it: %w", err)
	}
	load, err := b.load(ctx)
	if err != nil {
		return err
	}
	switch room := load.room(); {
	case load.status == delivery.Deleted:
		return b.end(ctx, RecoveryFailed, ErrEndpointDeleted.Error())
	case !load.status.Accepts() || room == 0:
		return nil
	default:
		return b.advance(ctx, room)
	}
}

func (b *recovering) load(ctx context.Context) (laneLoad, error) {
	load := laneLoad{status: delivery.Deleted}
	var millis float64
	err := b.tx.QueryRow(ctx, recoveryLoadSQL, b.id.Shard(), b.window.Endpoint, mostPending).Scan(
		&load.status, &load.claimLimit, &load.rateLimit, &millis, &load.pending, &load.due)
	load.answer = time.Duration(millis * float64(time.Millisecond))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return load, fmt.Errorf("looking at its lane: %w", err)
	}
	return load, nil
}

// advance looks for the next deliveries while nothing but the recovery is
// locked.
func (b *recovering) advance(ctx context.Context, room int) error {
	from, until := b.position, b.window.Until
	if from.IsZero() {
		from = floorID(b.window.Since)
	}
	isWhole := !b.complete.Before(until)
	if !isWhole {
		until = b.complete
	}
	found, err := findWanted(ctx, b.tx, span{b.window, from, floorID(until)}, b.stretchRows, room)
	if err != nil {
		return err
	}
	if len(found.wanted) > 0 {
		if isWelcome, err := b.take(ctx, found.wanted); err != nil || !isWelcome {
			return err
		}
	}
	if len(found.wanted) > 0 || !found.isLast {
		b.position, b.moved = found.end, true
		if err := b.move(ctx); err != nil {
			return err
		}
	}
	if isWhole && found.isLast {
		b.passedOver = max(b.passedOver, b.total-b.recovered)
		if err := b.move(ctx); err != nil {
			return err
		}
		return b.end(ctx, RecoveryDone, "")
	}
	return nil
}

// take reopens what was found, unless the endpoint was disabled meanwhile.
func (b *recovering) take(ctx context.Context, next []surveyed) (isWelcome bool, _ error) {
	lane, err := lockLane(ctx, b.tx, b.window.Endpoint)
	if err != nil || !lane.status.Accepts() {
		return false, err
	}
	many := &bulk{tx: b.tx, endpoint: b.window.Endpoint, states: b.window.States, trigger: delivery.TriggerRecover}
	b.opened, err = many.reopen(ctx, next)
	b.recovered += b.opened
	b.passedOver += len(next) - b.opened
	return err == nil, err
}

func (b *recovering) move(ctx context.Context) error {
	_, err := b.tx.Exec(ctx, recoveryMoveSQL, b.id.Shard(), b.id, b.position, b.recovered, b.passedOver)
	if err != nil {
		return fmt.Errorf("writing down how far it came: %w", err)
	}
	return nil
}

func (b *recovering) end(ctx context.Context, status RecoveryStatus, detail string) error {
	b.moved = true
	if _, err := b.tx.Exec(ctx, recoveryEndSQL, b.id.Shard(), b.id, status, detail); err != nil {
		return fmt.Errorf("writing down its end: %w", err)
	}
	return nil
}

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

//go:embed queries/recovery_rival.sql
var recoveryRivalSQL string

//go:embed queries/recovery_start.sql
var recoveryStartSQL string

// CountRecoverable is how many deliveries a recovery would look at, and writes
// nothing. It may pass over some of them: see bulk. A window that cannot be
// counted within six seconds is refused with ErrUncounted.
func (w *Writer) CountRecoverable(ctx context.Context, window Window) (count int, _ error) {
	_, count, isAll, err := w.measure(ctx, window)
	if err == nil && !isAll {
		err = ErrUncounted
	}
	if err != nil {
		return 0, fmt.Errorf("counting what can be recovered: %w", err)
	}
	return count, nil
}

// StartRecovery begins a recovery with the given id, of the endpoint's shard. If
// there is one with the id already, that is the answer: the call may be repeated.
// It is refused with ErrRunning, ErrEndpointDisabled or ErrEndpointDeleted.
func (w *Writer) StartRecovery(ctx context.Context, id delivery.ID, window Window) (Recovery, error) {
	started, err := w.startRecovery(ctx, id, window)
	if err != nil {
		return Recovery{}, fmt.Errorf("starting a recovery: %w", err)
	}
	return started, nil
}

// startRecovery counts before anything is locked, and decides afterwards.
func (w *Writer) startRecovery(ctx context.Context, id delivery.ID, window Window) (started Recovery, _ error) {
	if known, err := readRecovery(ctx, w.store.Pool(), id); !errors.Is(err, ErrNoRecovery) {
		return known, err
	}
	window, total, _, err := w.measure(ctx, window)
	if err != nil {
		return Recovery{}, err
	}
	err = w.inTx(ctx, nil, func(tx pgx.Tx) (err error) {
		started, err = beginRecovery(ctx, tx, id, window, total)
		return err
	})
	return started, err
}

// beginRecovery decides under the lane's lock: so no other recovery of the
// endpoint begins meanwhile.
func beginRecovery(ctx context.Context, tx pgx.Tx, id delivery.ID, window Window, total int) (Recovery, error) {
	lane, err := lockLane(ctx, tx, window.Endpoint)
	if err != nil {
		return Recovery{}, err
	}
	if known, err := readRecovery(ctx, tx, id); !errors.Is(err, ErrNoRecovery) {
		return known, err
	}
	var rival delivery.ID
	err = tx.QueryRow(ctx, recoveryRivalSQL, window.Endpoint.Shard(), window.Endpoint).Scan(&rival)
	switch {
	case err == nil:
		return Recovery{}, fmt.Errorf("%w (%s)", ErrRunning, rival.Format(delivery.RecoveryPrefix))
	case !errors.Is(err, pgx.ErrNoRows):
		return Recovery{}, fmt.Errorf("looking for another: %w", err)
	case lane.status == delivery.Deleted:
		return Recovery{}, ErrEndpointDeleted
	case !lane.status.Accepts():
		return Recovery{}, ErrEndpointDisabled
	}
	_, err = tx.Exec(ctx, recoveryStartSQL, id.Shard(), id, lane.tenant, window.Endpoint, window.Since, window.Until, window.States, total)
	if err != nil {
		return Recovery{}, fmt.Errorf("writing it down: %w", err)
	}
	return readRecovery(ctx, tx, id)
}

// measure ends the window by the database's clock and counts what lies in it, as
// far as the time for that suffices.
func (w *Writer) measure(ctx context.Context, window Window) (_ Window, count int, isAll bool, _ error) {
	var now time.Time
	if err := w.store.Pool().QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
		return window, 0, false, fmt.Errorf("asking for the database's time: %w", err)
	}
	if window.Until.IsZero() || window.Until.After(now) {
		window.Until = now
	}
	count, isAll, err := w.countWanted(ctx, window)
	return window, count, isAll, err
}

// highestID is above all that can be made. The lowest is not the zero id, which
// is NULL in the database.
var (
	lowestID  = delivery.ID{15: 1}
	highestID = delivery.ID{
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	}
)

// floorID is delivery.FloorID for any instant up to the present.
func floorID(at time.Time) delivery.ID {
	if at.Unix() <= 0 {
		return lowestID
	}
	return delivery.FloorID(at)
}

package redelivery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/recovery_read.sql
var recoveryReadSQL string

//go:embed queries/recovery_list.sql
var recoveryListSQL string

//go:embed queries/recovery_running.sql
var recoveryRunningSQL string

//go:embed queries/recovery_cancel.sql
var recoveryCancelSQL string

// What may be wrong with a recovery.
var (
	ErrNoRecovery       = errors.New("there is no such recovery")
	ErrRunning          = errors.New("another recovery of the endpoint is running: cancel it, or wait until it is done")
	ErrEnded            = errors.New("the recovery has ended")
	ErrEndpointDisabled = errors.New("the endpoint is disabled: enable it first")
	ErrEndpointDeleted  = errors.New("the endpoint was deleted")
	ErrUncounted        = errors.New("there is too much in the window to be counted at once: ask about a shorter one; it can be recovered uncounted")
)

// RecoveryStatus is where a recovery stands.
type RecoveryStatus string

// The statuses. All but the first are final.
const (
	RecoveryRunning   RecoveryStatus = "running"
	RecoveryDone      RecoveryStatus = "done"
	RecoveryCancelled RecoveryStatus = "cancelled" // what it had queued stays queued
	RecoveryFailed    RecoveryStatus = "failed"    // see Detail
)

// Window is what a recovery is about: an endpoint's closed deliveries in some
// states, of the events of a span of time. Of what was skipped only what the
// endpoint missed while it was disabled, and would have taken: not what it does
// not subscribe to, nor what its filter refused, where its policy records such
// (D07). Never a test, which is over when it was made.
type Window struct {
	Endpoint delivery.ID
	Since    time.Time
	Until    time.Time // not included; zero or in the future: the present
	States   []delivery.State
}

// Recovery is a job that puts closed deliveries of a window back into the
// endpoint's queue, oldest first, as fast as the endpoint takes them: what died,
// what was missed, what was discarded, as its window says, and nothing that the
// endpoint never wanted.
type Recovery struct {
	ID     delivery.ID
	Tenant string
	Window
	Status RecoveryStatus
	Detail string // why it failed

	// Total is how many deliveries there were when it began, or how many could be
	// counted then within six seconds. In the end Recovered and PassedOver are at
	// least as many together: others may have died meanwhile.
	Total, Recovered, PassedOver int

	CreatedAt, UpdatedAt time.Time
	EndedAt              time.Time // zero: it is running
}

// Recovery finds one. Its tenant is for the caller to compare.
func (w *Writer) Recovery(ctx context.Context, id delivery.ID) (Recovery, error) {
	found, err := readRecovery(ctx, w.store.Pool(), id)
	if err != nil {
		return Recovery{}, fmt.Errorf("reading recovery %s: %w", id.Format(delivery.RecoveryPrefix), err)
	}
	return found, nil
}

// Recoveries lists an endpoint's, newest first: at most limit of those before
// the one named; a zero id begins at the newest.
func (w *Writer) Recoveries(ctx context.Context, endpoint, before delivery.ID, limit int) ([]Recovery, error) {
	if before.IsZero() {
		before = highestID
	}
	rows, _ := w.store.Pool().Query(ctx, recoveryListSQL, endpoint.Shard(), endpoint, before, limit)
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Recovery, error) { return scanRecovery(row) })
	if err != nil {
		return nil, fmt.Errorf("listing recoveries: %w", err)
	}
	return list, nil
}

// RunningRecoveries lists those of all endpoints, of which the one that got
// nothing for the longest time comes first.
func (w *Writer) RunningRecoveries(ctx context.Context) ([]delivery.ID, error) {
	rows, _ := w.store.Pool().Query(ctx, recoveryRunningSQL)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[delivery.ID])
	if err != nil {
		return nil, fmt.Errorf("looking for running recoveries: %w", err)
	}
	return ids, nil
}

// CancelRecovery ends a recovery after the batch that is being done, if any.
// What it queued stays queued. To cancel it again is no error; one that ended
// otherwise is ErrEnded.
func (w *Writer) CancelRecovery(ctx context.Context, id delivery.ID) (Recovery, error) {
	if _, err := w.store.Pool().Exec(ctx, recoveryCancelSQL, id.Shard(), id); err != nil {
		return Recovery{}, fmt.Errorf("cancelling recovery %s: %w", id.Format(delivery.RecoveryPrefix), err)
	}
	now, err := w.Recovery(ctx, id)
	if err == nil && now.Status != RecoveryCancelled {
		err = fmt.Errorf("cancelling recovery %s: %w", id.Format(delivery.RecoveryPrefix), ErrEnded)
	}
	return now, err
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readRecovery(ctx context.Context, from querier, id delivery.ID) (Recovery, error) {
	found, err := scanRecovery(from.QueryRow(ctx, recoveryReadSQL, id.Shard(), id))
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNoRecovery
	}
	return found, err
}

func scanRecovery(row pgx.Row) (r Recovery, _ error) {
	var ended pgtype.Timestamptz
	err := row.Scan(&r.ID, &r.Tenant, &r.Endpoint, &r.Since, &r.Until, &r.States, &r.Status, &r.Detail,
		&r.Total, &r.Recovered, &r.PassedOver, &r.CreatedAt, &r.UpdatedAt, &ended)
	if ended.Valid {
		r.EndedAt = ended.Time.UTC()
	}
	for _, at := range []*time.Time{&r.Since, &r.Until, &r.CreatedAt, &r.UpdatedAt} {
		*at = at.UTC()
	}
	return r, err
}

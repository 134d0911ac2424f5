package notices

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

//go:embed queries/condition.sql
var conditionSQL string

//go:embed queries/hold_condition.sql
var holdConditionSQL string

//go:embed queries/lock_condition.sql
var lockConditionSQL string

//go:embed queries/raise_condition.sql
var raiseConditionSQL string

//go:embed queries/end_condition.sql
var endConditionSQL string

//go:embed queries/add_signal.sql
var addSignalSQL string

//go:embed queries/overdue.sql
var overdueSQL string

// IsRaised says whether a condition holds and was signalled.
func (s *Store) IsRaised(ctx context.Context, name string) (raised bool, _ error) {
	raised, _, err := s.condition(ctx, name)
	return raised, err
}

func (s *Store) condition(ctx context.Context, name string) (raised, known bool, _ error) {
	err := s.pool.QueryRow(ctx, conditionSQL, s.shard, name).Scan(&raised)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("reading the condition %s: %w", name, err)
	}
	return raised, true, nil
}

// Observe notes whether a condition holds now. It is signalled once it was seen to
// hold for some time, and once more when a condition that was signalled holds no
// longer; by one process, however many look.
func (s *Store) Observe(ctx context.Context, holds bool, forTime time.Duration, signal delivery.Signal) (signalled bool, err error) {
	if !holds {
		if _, known, err := s.condition(ctx, signal.Subject); err != nil || !known {
			return false, err
		}
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if holds {
			signalled, err = s.raise(ctx, tx, forTime, signal)
		} else {
			signalled, err = s.end(ctx, tx, signal)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("noting the condition %s: %w", signal.Subject, err)
	}
	return signalled, nil
}

func (s *Store) raise(ctx context.Context, tx pgx.Tx, forTime time.Duration, signal delivery.Signal) (bool, error) {
	if _, err := tx.Exec(ctx, holdConditionSQL, s.shard, signal.Subject); err != nil {
		return false, err
	}
	since, raised, now, err := s.lock(ctx, tx, signal.Subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // another process saw it end
	}
	if err != nil || raised || now.Sub(since) < forTime {
		return false, err
	}
	if _, err := tx.Exec(ctx, raiseConditionSQL, s.shard, signal.Subject); err != nil {
		return false, err
	}
	return true, s.addSignal(ctx, tx, now, signal)
}

func (s *Store) end(ctx context.Context, tx pgx.Tx, signal delivery.Signal) (bool, error) {
	_, raised, now, err := s.lock(ctx, tx, signal.Subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // another process was faster
	}
	if err != nil {
		return false, err
	}
	if _, err := tx.Exec(ctx, endConditionSQL, s.shard, signal.Subject); err != nil || !raised {
		return false, err
	}
	return true, s.addSignal(ctx, tx, now, signal)
}

func (s *Store) lock(ctx context.Context, tx pgx.Tx, name string) (since time.Time, raised bool, now time.Time, err error) {
	err = tx.QueryRow(ctx, lockConditionSQL, s.shard, name).Scan(&since, &raised, &now)
	return since, raised, now, err
}

func (s *Store) addSignal(ctx context.Context, tx pgx.Tx, now time.Time, signal delivery.Signal) error {
	_, err := tx.Exec(ctx, addSignalSQL, s.shard, delivery.NewID(s.shard, now, s.random), delivery.OwnTenant,
		string(signal.Kind), signal.Subject, signal.Detail)
	return err
}

// Overdue is for how long the oldest delivery has been due that nothing but want
// of capacity holds up: its endpoint is well, has room, and is not paused. What a
// slow or failing endpoint makes wait is that endpoint's affair (F17).
func (s *Store) Overdue(ctx context.Context) (time.Duration, error) {
	var seconds float64
	if err := s.pool.QueryRow(ctx, overdueSQL).Scan(&seconds); err != nil {
		return 0, fmt.Errorf("measuring how late deliveries are: %w", err)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

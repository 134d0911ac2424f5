package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// SQLSTATEs that this package acts on.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	badCharacter         = "22021"
)

// tries bounds how often a transaction is run again that the server ended in
// favour of another.
const tries = 4

// inTx runs a transaction, again where the server asks for it: do must have no
// effect outside of it. Errors say what was being done.
func (r *Registry) inTx(ctx context.Context, what string, do func(pgx.Tx) error) error {
	var err error
	for range tries {
		err = pgx.BeginFunc(ctx, r.pool, do)
		if code := sqlState(err); code != serializationFailure && code != deadlockDetected {
			break
		}
	}
	return explain(what, err)
}

func explain(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case sqlState(err) == badCharacter:
		return fmt.Errorf("%s: %w", what, ErrInvalidText)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}

func sqlState(err error) string {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return pgErr.Code
	}
	return ""
}

// orMissing turns "no row" into what that means here.
func orMissing(err error, missing NotFound) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return missing
	}
	return err
}

// instant reads a timestamptz into a time.Time in UTC: zero for NULL and for
// infinity.
type instant struct{ target *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (i instant) ScanTimestamptz(v pgtype.Timestamptz) error {
	*i.target = time.Time{}
	if v.Valid && v.InfinityModifier == pgtype.Finite {
		*i.target = v.Time.UTC()
	}
	return nil
}

func text(s string) pgtype.Text { return pgtype.Text{String: s, Valid: s != ""} }

// notNil keeps an empty list from being sent as NULL.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

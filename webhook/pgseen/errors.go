package pgseen

import (
	"errors"
	"fmt"
)

// What a caller can act on; test with errors.Is.
var (
	// ErrClaimLost: the claim ran out before it was settled, and another caller
	// has the id or had it. KeepTx and KeepWith answer it, too, when the id was kept
	// before: twice in one transaction, or by one whose commit had no answer.
	ErrClaimLost = errors.New("pgseen: the id is not this claim's to keep: the claim ran out and another caller got it (see WithLease), " +
		"or the id was kept already; roll back what was done")
	// ErrNoClaim: the context carries no claim of a [Store].
	ErrNoClaim = errors.New("pgseen: the context carries no claim of this package: " +
		"use the context that webhook.Handler passes on, with webhook.WithSeen(store), or webhook.ContextWithClaim")
	// ErrNoTable: the table is not where the store looks for it.
	ErrNoTable = errors.New("pgseen: the table is missing: call CreateTable, or run what DDL prints, " +
		"and name the table with its schema")
	// ErrNotAllowed: the store's role lacks a right.
	ErrNotAllowed = errors.New("pgseen: the database role may not use the table: " +
		"GRANT it USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on the table")
)

// The SQLSTATEs that are told apart.
const (
	serializationFailure = "40001"
	deadlock             = "40P01"
	lockNotAvailable     = "55P03"
	undefinedTable       = "42P01"
	invalidSchema        = "3F000"
	notAllowed           = "42501"
)

// sqlState is the code of an error that came from the server, or "". The errors
// of pgx and of lib/pq both have this method.
func sqlState(err error) string {
	var told interface{ SQLState() string }
	if errors.As(err, &told) {
		return told.SQLState()
	}
	return ""
}

// explain says what to do about errors that somebody can do something about.
func (s *Store) explain(doing string, err error) error {
	switch sqlState(err) {
	case undefinedTable, invalidSchema:
		return fmt.Errorf("%w: %s in %s: %w", ErrNoTable, doing, s.names.table, err)
	case notAllowed:
		return fmt.Errorf("%w: %s in %s: %w", ErrNotAllowed, doing, s.names.table, err)
	default:
		return fmt.Errorf("pgseen: %s in %s: %w", doing, s.names.table, err)
	}
}

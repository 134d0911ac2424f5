package pgseen

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/malotehq/malote/webhook"
)

// KeepTx records in the receiver's own transaction that the webhook which ctx
// belongs to was handled. With the commit, the id is kept and what else the
// transaction wrote is done; without it, neither.
//
// Call it first: from then on the transaction holds the id's row, so that nobody
// else gets the claim however long the rest takes. Roll back when it returns
// [ErrClaimLost]: another caller was faster, or an earlier transaction of yours
// did commit. Any other error leaves the transaction of no use. Commit before the function
// that was given to [webhook.Handler] returns nil; a nil without a commit is
// answered with 500 ([webhook.ErrNotCommitted]).
//
// ctx is the one that Handler gave, or one made of it. tx is a transaction in the
// database that has the store's table, of a role that may SELECT and UPDATE it.
func KeepTx(ctx context.Context, tx *sql.Tx) error {
	return KeepWith(ctx, func(ctx context.Context, query string, args ...any) (int64, error) {
		result, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	})
}

// KeepWith is [KeepTx] for transactions that are not *sql.Tx. exec runs one
// statement with its arguments in the transaction, as it is, and returns how many
// rows it changed. With pgx:
//
//	err := pgseen.KeepWith(ctx, func(ctx context.Context, query string, args ...any) (int64, error) {
//		tag, err := tx.Exec(ctx, query, args...)
//		return tag.RowsAffected(), err
//	})
func KeepWith(ctx context.Context, exec func(ctx context.Context, query string, args ...any) (int64, error)) error {
	claim, err := claimFrom(ctx)
	if err != nil {
		return err
	}
	return claim.keepWith(ctx, exec)
}

// InTx makes a function for [webhook.Handler] of one that works in a transaction.
// It begins the transaction, keeps the id in it, calls handle, and commits; when
// handle returns an error or panics it rolls back, and the sender comes again.
// handle must neither commit nor roll back.
//
// The handler must have been given this store, or another of the same database:
//
//	webhook.Handler(verifier, seen.InTx(handle), webhook.WithSeen(seen))
func (s *Store) InTx(handle func(ctx context.Context, tx *sql.Tx, m webhook.Message) error) func(context.Context, webhook.Message) error {
	return func(ctx context.Context, m webhook.Message) error {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return fmt.Errorf("pgseen: beginning a transaction: %w", err)
		}
		defer func() { _ = tx.Rollback() }() // after a commit it does nothing
		if err := KeepTx(ctx, tx); err != nil {
			return err
		}
		if err := handle(ctx, tx, m); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return fmt.Errorf("pgseen: committing what was done for %s: %w", m.ID, err)
		}
		return nil
	}
}

package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Tx is a transaction:
//
//   - a pgx.Tx, whether of a pgx.Conn or of a pgxpool.Pool, or nested in another
//     (a savepoint);
//   - a *sql.Tx of database/sql, with any driver for PostgreSQL;
//   - what has the methods of one: *sqlx.Tx, bun.Tx, and the ConnPool of a
//     *gorm.DB within Transaction.
//
// The two have no method in common by which the compiler could tell them from
// connections and pools, so that is found when it is used, and before anything
// else is done: the first test that publishes fails with [ErrNotTransaction].
type Tx any

// ErrNotTransaction says that something else was given where a transaction
// belongs.
var ErrNotTransaction = errors.New("outbox: not a transaction: begin one (pgx: Begin, database/sql: BeginTx) " +
	"and publish in the same one that makes the change")

// Whoever can query and commit is a transaction. A connection or a pool cannot
// commit: each of its statements does.
type (
	pgxTx interface {
		QueryRow(ctx context.Context, query string, args ...any) pgx.Row
		Commit(ctx context.Context) error
	}
	sqlTx interface {
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		Commit() error
	}
)

// queryText runs a statement that answers with one text.
func queryText(ctx context.Context, tx Tx, query string, args ...any) (text string, err error) {
	switch tx := tx.(type) {
	case pgxTx:
		err = tx.QueryRow(ctx, query, args...).Scan(&text)
	case sqlTx:
		err = tx.QueryRowContext(ctx, query, args...).Scan(&text)
	default:
		return "", notTransaction(tx)
	}
	if err != nil {
		return "", explain(err)
	}
	return text, nil
}

func checkTx(tx Tx) error {
	switch tx.(type) {
	case pgxTx, sqlTx:
		return nil
	}
	return notTransaction(tx)
}

func notTransaction(tx Tx) error { return fmt.Errorf("%w: got %T", ErrNotTransaction, tx) }

// What the database's owner has to do; test with errors.Is.
var (
	// ErrNotInstalled: the database has no outbox, or one of an older version.
	ErrNotInstalled = errors.New("outbox: the database has no malote.publish functions: run malote outbox install --dsn …")
	// ErrNotAllowed: the role that the application connects as may not publish.
	ErrNotAllowed = errors.New("outbox: the database role may not publish: " +
		"malote outbox install --dsn … --publisher ROLE prints the GRANTs that it needs")
)

// The SQLSTATEs that are told apart.
const (
	undefinedFunction = "42883"
	invalidSchema     = "3F000"
	notAllowed        = "42501"
)

// explain says what to do about errors that somebody can do something about. The
// errors of pgx and of lib/pq both have the method SQLState.
func explain(err error) error {
	var told interface{ SQLState() string }
	if errors.As(err, &told) {
		switch told.SQLState() {
		case undefinedFunction, invalidSchema:
			return fmt.Errorf("%w: %w", ErrNotInstalled, err)
		case notAllowed:
			return fmt.Errorf("%w: %w", ErrNotAllowed, err)
		}
	}
	return fmt.Errorf("outbox: publishing: %w", err)
}

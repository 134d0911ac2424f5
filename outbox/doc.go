// Package outbox publishes events inside an application's own PostgreSQL
// transaction: when it commits, the event exists; when it rolls back, the event
// never did.
//
//	tx, err := pool.Begin(ctx) // pgx; or db.BeginTx of database/sql
//	…
//	defer tx.Rollback(ctx)
//	if _, err := tx.Exec(ctx, `UPDATE invoices SET paid = true WHERE id = $1`, invoice); err != nil {
//		return err
//	}
//	_, err = outbox.Publish(ctx, tx, outbox.Event{
//		Tenant: "acme", Type: "invoice.paid",
//		Data: json.RawMessage(`{"invoice":42}`),
//	})
//	if err != nil {
//		return err
//	}
//	return tx.Commit(ctx)
//
// Publish inserts one row with a function that Malote has put into the database:
// into its own, or by "malote outbox install" into the application's, which may
// be a PostgreSQL of version 13 or newer. It takes no lock that anybody waits for.
// A running "malote serve" carries the row over and delivers the event, exactly
// once, usually within 50 ms of the commit.
//
// # Transactions
//
// [Publish] takes what pgx and database/sql call a transaction, and whatever is
// made of one: see [Tx]. A savepoint is a transaction too: the event goes with it
// when it is rolled back. What is not a transaction is refused, for an event that
// commits on its own is one that can be lost, or tell of what never happened.
//
// # Errors
//
// What is wrong with an event is found before anything is sent to the database
// ([InvalidError]), so that the transaction stays as it is, and the caller may go
// on without the event. Any other error may come from the database, and then
// PostgreSQL has ended the transaction: all that is left is to roll back, to the
// last savepoint if there is one. [ErrNotInstalled] and [ErrNotAllowed] say what
// the database's owner has to do.
//
// Whether the tenant exists, the body is not too large for this Malote, and the
// idempotency key is new, only Malote knows. An event that it cannot accept is
// kept aside with the reason: "malote outbox refused" lists those.
//
// # What it must never know
//
// The package talks to the database through the caller's transaction alone. It
// opens no connection, begins and commits nothing, and knows the functions of the
// outbox but none of its tables.
package outbox

// Package pgseen remembers in PostgreSQL which webhooks a receiver has handled.
//
// A [Store] is a [webhook.Seen] for one sender. It needs a *sql.DB of any driver
// (of pgx, its stdlib package: stdlib.OpenDBFromPool for who has a pool) and one
// table in PostgreSQL 13 or newer. Of any number of callers that claim an id at
// once, over all processes, one gets it. Handled ids are kept for 7 days.
//
// # Exactly once, on the receiver's side
//
// A sender repeats what it has no answer for. A receiver that books first and
// remembers afterwards books twice when it dies in between; one that remembers
// first may not book at all. [Store.InTx] has both commit together:
//
//	seen, err := pgseen.New(db, "malote", pgseen.WithTable("billing.webhook_seen"))
//	…
//	book := seen.InTx(func(ctx context.Context, tx *sql.Tx, m webhook.Message) error {
//		_, err := tx.ExecContext(ctx, `INSERT INTO billing.payments …`)
//		return err
//	})
//	http.Handle("POST /hooks", webhook.Handler(verifier, book, webhook.WithSeen(seen)))
//
// The claim is taken and committed first, so that a repetition is answered with
// 503 at once and waits for nobody. Then the transaction keeps the id and holds
// its row, does the work, and commits: whoever died before the commit did
// nothing, and whoever died after it is recognised. Where the transaction is
// begun elsewhere, call [KeepTx] in it before anything else, with the context
// that Handler gave; [KeepWith] is for transactions that are not *sql.Tx.
//
// Only what is written in that transaction is done exactly once. A mail or a call
// to another service is not: write the wish down in the transaction, and have it
// carried out from there.
//
// # The table
//
// [CreateTable] makes it, or a migration with what [DDL] prints; a Store never
// does. Its role needs no more than
//
//	GRANT USAGE ON SCHEMA billing TO app;
//	GRANT SELECT, INSERT, UPDATE, DELETE ON billing.webhook_seen TO app;
//
// Several senders may share a table: rows are keyed by sender and id.
//
// No goroutine runs in the background. Every webhook that is handled takes a few
// expired rows away with it, so that the table stays as large as 7 days of
// webhooks; [Store.Purge] removes all of them at once.
//
// # What it must never know
//
// It stores a sender's name, ids and times: no body, no header, no secret. It
// knows no table of the receiver's but its own.
package pgseen

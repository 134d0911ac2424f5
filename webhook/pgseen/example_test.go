package pgseen_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"log"
	"net/http"

	"github.com/malotehq/malote/webhook"
	"github.com/malotehq/malote/webhook/pgseen"
)

// A receiver that books every payment exactly once: the payment and the memory of
// its webhook are committed together.
func Example() {
	var db *sql.DB                 // sql.Open("pgx", os.Getenv("DATABASE_URL")), in earnest
	var verifier *webhook.Verifier // webhook.NewVerifier with the sender's secrets

	seen, err := pgseen.New(db, "malote", pgseen.WithTable("billing.webhook_seen"))
	if err != nil {
		log.Fatal(err)
	}
	book := func(ctx context.Context, tx *sql.Tx, m webhook.Message) error {
		var event struct {
			Type string
			Data struct {
				Invoice string
				Cents   int64
			}
		}
		if err := json.Unmarshal(m.Body, &event); err != nil {
			return &webhook.StatusError{Status: http.StatusUnprocessableEntity, Err: err}
		}
		if event.Type != "invoice.paid" {
			return nil // handled: there is nothing to do
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO billing.payments (invoice, cents) VALUES ($1, $2)`,
			event.Data.Invoice, event.Data.Cents)
		return err
	}
	http.Handle("POST /hooks", webhook.Handler(verifier, seen.InTx(book), webhook.WithSeen(seen)))
}

// A receiver that answers at once: all that it does is to write down what came,
// in the transaction that keeps the id. The work is done from that table.
func ExampleStore_InTx() {
	var db *sql.DB
	var verifier *webhook.Verifier

	seen, err := pgseen.New(db, "malote", pgseen.WithTable("billing.webhook_seen")) // the table: pgseen.DDL, in a migration
	if err != nil {
		log.Fatal(err)
	}
	book := seen.InTx(func(ctx context.Context, tx *sql.Tx, m webhook.Message) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO billing.inbox (id, body) VALUES ($1, $2)`, m.ID, m.Body)
		return err
	})
	http.Handle("POST /hooks", webhook.Handler(verifier, book, webhook.WithSeen(seen)))
}

// A transaction that the receiver begins and ends itself. The id is kept in it
// first.
func ExampleKeepTx() {
	var db *sql.DB
	handle := func(ctx context.Context, m webhook.Message) error { // for webhook.Handler
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if err := pgseen.KeepTx(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO billing.inbox (body) VALUES ($1)`, m.Body); err != nil {
			return err
		}
		return tx.Commit() // nil only after it
	}
	_ = handle
}

package outbox_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/malotehq/malote/outbox"
)

// With pgx: the invoice is paid and the event exists, or neither.
func ExamplePublish() {
	var pool *pgxpool.Pool // pgxpool.New(ctx, os.Getenv("DATABASE_URL")), in earnest
	pay := func(ctx context.Context, invoice int) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `UPDATE invoices SET paid = true WHERE id = $1`, invoice); err != nil {
				return err
			}
			data, err := json.Marshal(map[string]int{"invoice": invoice})
			if err != nil {
				return err
			}
			_, err = outbox.Publish(ctx, tx, outbox.Event{Tenant: "acme", Type: "invoice.paid", Data: data})
			return err
		})
	}
	_ = pay
}

// With database/sql, and any driver for PostgreSQL.
func ExamplePublish_databaseSQL() {
	var db *sql.DB // sql.Open("pgx", os.Getenv("DATABASE_URL")), in earnest
	pay := func(ctx context.Context, invoice int) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.ExecContext(ctx, `UPDATE invoices SET paid = true WHERE id = $1`, invoice); err != nil {
			return err
		}
		data, err := json.Marshal(map[string]int{"invoice": invoice})
		if err != nil {
			return err
		}
		id, err := outbox.Publish(ctx, tx, outbox.Event{Tenant: "acme", Type: "invoice.paid", Data: data})
		if err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		log.Printf("published; the event has the idempotency key %s", id.IdempotencyKey())
		return nil
	}
	_ = pay
}

// An event that is wanted, but not needed: the payment goes through without it.
// What is wrong with the event is found before the database hears of it; a
// savepoint covers the rest.
func ExamplePublish_savepoint() {
	welcome := func(ctx context.Context, tx pgx.Tx, event outbox.Event) error {
		err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
			_, err := outbox.Publish(ctx, savepoint, event)
			return err
		})
		if invalid := (*outbox.InvalidError)(nil); errors.As(err, &invalid) {
			log.Printf("a mistake of ours: %s %s", invalid.Field, invalid.Reason)
			return nil
		}
		return err
	}
	_ = welcome
}

// Many events in one round trip, of any kind, in order.
func ExamplePublishBatch() {
	closeMonth := func(ctx context.Context, tx pgx.Tx) error {
		_, err := outbox.PublishBatch(ctx, tx, []outbox.Event{
			{Tenant: "acme", Type: "month.closed", Data: json.RawMessage(`{"month":"2031-02"}`)},
			{Tenant: "acme", Type: "statement.ready", Body: []byte("%PDF-…"), ContentType: "application/pdf"},
		})
		return err
	}
	_ = closeMonth
}

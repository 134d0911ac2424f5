package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Grants are the statements that let roles use an outbox: publishers may call the
// publish functions, and neither see nor change what was published; relays may
// take rows.
func Grants(publishers, relays []string) []string {
	var statements []string
	for _, role := range publishers {
		quoted := pgx.Identifier{role}.Sanitize()
		statements = append(statements,
			"GRANT USAGE ON SCHEMA malote TO "+quoted,
			"GRANT EXECUTE ON FUNCTION "+strings.Join(publishFunctions, ", ")+" TO "+quoted,
			"GRANT INSERT ("+writtenColumns+") ON malote.outbox TO "+quoted)
	}
	for _, role := range relays {
		quoted := pgx.Identifier{role}.Sanitize()
		statements = append(statements,
			"GRANT USAGE ON SCHEMA malote TO "+quoted,
			"GRANT SELECT ON malote.outbox_migrations TO "+quoted,
			// FOR UPDATE SKIP LOCKED needs the right to update a column; none ever is.
			"GRANT SELECT, INSERT, UPDATE (written_at), DELETE ON malote.outbox TO "+quoted,
			"GRANT SELECT, INSERT, UPDATE (reason), DELETE ON malote.outbox_refused TO "+quoted)
	}
	return statements
}

// The argument types that all publish functions end with.
const optionTypes = "text, text, text, text, timestamptz, text[], text, text"

// writtenColumns are what the publish functions fill in.
const writtenColumns = "id, tenant, type, content_type, body, idempotency_key, coalesce_key, entity_version, external_id, " +
	"occurred_at, endpoint_ids, written_at"

// publishFunctions are those that a publisher calls, and what they are made of.
var publishFunctions = []string{
	"malote.publish(text, text, jsonb, " + optionTypes + ")",
	"malote.publish(text, text, bytea, text, " + optionTypes + ")",
	"malote.publish_json(text, text, text, " + optionTypes + ")",
	"malote.outbox_append(text, text, text, bytea, " + optionTypes + ")",
	"malote.outbox_check(text, timestamptz, text[])",
}

// Install makes or renews the outbox of an application's own database. It
// returns the version that is there now.
func Install(ctx context.Context, dsn string) (int64, error) {
	if err := refuseMalote(ctx, dsn); err != nil {
		return 0, err
	}
	if err := Migrate(ctx, dsn); err != nil {
		return 0, fmt.Errorf("installing the outbox: %w", err)
	}
	return Newest(), nil
}

// NotEmptyError says that an outbox holds rows that would be lost.
type NotEmptyError struct{ Waiting, Refused int64 }

func (e *NotEmptyError) Error() string {
	return fmt.Sprintf("the outbox still holds %d rows that wait and %d that were refused", e.Waiting, e.Refused)
}

// Uninstall removes the outbox of an application's own database, and the schema
// malote if it is the role's own and nothing else is in it. With rows in it, it
// refuses with *NotEmptyError unless the loss is wanted. A transaction that
// publishes at this moment is waited for, up to five seconds; then it is ErrBusy.
func Uninstall(ctx context.Context, dsn string, loseRows bool) error {
	if err := refuseMalote(ctx, dsn); err != nil {
		return err
	}
	conn, err := connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer closeQuietly(conn)
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := checkEmpty(ctx, tx, loseRows); err != nil {
			return err
		}
		for _, function := range publishFunctions {
			if _, err := tx.Exec(ctx, "DROP FUNCTION IF EXISTS "+function); err != nil {
				return fmt.Errorf("removing %s: %w", function, err)
			}
		}
		if _, err := tx.Exec(ctx, `DROP TABLE malote.outbox, malote.outbox_refused, malote.outbox_migrations`); err != nil {
			return fmt.Errorf("removing the outbox: %w", err)
		}
		_, err := tx.Exec(ctx, `DO $$ BEGIN DROP SCHEMA malote; EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN NULL; END $$`)
		if err != nil {
			return fmt.Errorf("removing the schema malote: %w", err)
		}
		return nil
	})
}

// ErrBusy says that a transaction that publishes stays open.
var ErrBusy = errors.New("the outbox is in use by a transaction that does not end: stop whatever publishes, then try again")

// checkEmpty locks the outbox against new rows until the transaction ends.
func checkEmpty(ctx context.Context, tx pgx.Tx, loseRows bool) error {
	if err := isInstalled(ctx, tx); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `LOCK TABLE malote.outbox IN ACCESS EXCLUSIVE MODE`)
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && refusal.Code == lockNotAvailable {
		return ErrBusy
	}
	if err != nil {
		return fmt.Errorf("locking the outbox: %w", err)
	}
	var held NotEmptyError
	err = tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM malote.outbox), (SELECT count(*) FROM malote.outbox_refused)`).
		Scan(&held.Waiting, &held.Refused)
	if err != nil {
		return fmt.Errorf("counting the outbox's rows: %w", err)
	}
	if held.Waiting+held.Refused > 0 && !loseRows {
		return &held
	}
	return nil
}

func refuseMalote(ctx context.Context, dsn string) error {
	conn, err := connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer closeQuietly(conn)
	var isMalote bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('malote.migrations') IS NOT NULL`).Scan(&isMalote); err != nil {
		return fmt.Errorf("looking at the database: %w", err)
	}
	if isMalote {
		return ErrIsMalote
	}
	return nil
}

package pgseen

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// DefaultTable is the table of a [Store] that is told no other. Where it lies is
// for the role's search_path to say: better name one with its schema.
const DefaultTable = "webhook_seen"

// ErrTableName says that a table's name cannot be used.
var ErrTableName = errors.New("pgseen: the table must be named like webhook_seen or billing.webhook_seen: " +
	"letters, digits and '_', not beginning with a digit, a schema of at most 63 and a table of at most 50 characters")

// The name of the table's index is the table's and eleven characters more, and
// PostgreSQL cuts names at 63 bytes.
var tableName = regexp.MustCompile(`^(?:([A-Za-z_][A-Za-z0-9_]{0,62})\.)?([A-Za-z_][A-Za-z0-9_]{0,49})$`)

// names are a table's names as they stand in statements.
type names struct {
	said  string // as the caller wrote it
	table string // quoted, with its schema
	index string // quoted; an index lies in its table's schema
}

func parseTable(said string) (names, error) {
	parts := tableName.FindStringSubmatch(said)
	if parts == nil {
		return names{}, fmt.Errorf("%w: not %q", ErrTableName, said)
	}
	n := names{said: said, table: quote(parts[2]), index: quote(parts[2] + "_until_idx")}
	if parts[1] != "" {
		n.table = quote(parts[1]) + "." + n.table
	}
	return n, nil
}

// quote keeps upper case and reserved words as they are. The characters were
// checked: none has a meaning within quotes.
func quote(name string) string { return `"` + name + `"` }

// in puts the names into a statement.
func (n names) in(statement string) string {
	return strings.NewReplacer("{table}", n.table, "{index}", n.index).Replace(statement)
}

// The collation is the one that no new version of a system library can change
// under an index. until is the end of a claim, or of a handled id's memory.
const createTable = `CREATE TABLE IF NOT EXISTS {table} (
    sender  text        COLLATE "C" NOT NULL,
    id      text        COLLATE "C" NOT NULL,
    token   uuid        NOT NULL,
    handled boolean     NOT NULL,
    until   timestamptz NOT NULL,
    PRIMARY KEY (sender, id)
)`

const createIndex = `CREATE INDEX IF NOT EXISTS {index} ON {table} (until)`

// DDL is what makes a table, for a migration. It may be run again. The error is
// [ErrTableName].
func DDL(table string) (string, error) {
	n, err := parseTable(table)
	if err != nil {
		return "", err
	}
	return n.in(createTable) + ";\n" + n.in(createIndex) + ";\n", nil
}

// CreateTable makes the table, if it is not there, in a schema that is. Any
// number of processes may call it at once. It needs the right to create in the
// schema, which the role of a [Store] should not have: call it with another, or
// use [DDL] in a migration.
func CreateTable(ctx context.Context, db *sql.DB, table string) error {
	n, err := parseTable(table)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("pgseen: creating the table %s: %w", n.said, err)
	}
	defer func() { _ = tx.Rollback() }()
	// Two that find no table would both make it, and the second fail.
	_, err = tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))`, "pgseen "+n.table)
	for _, statement := range []string{createTable, createIndex} {
		if err == nil {
			_, err = tx.ExecContext(ctx, n.in(statement))
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fmt.Errorf("pgseen: creating the table %s: %w", n.said, err)
	}
	return nil
}

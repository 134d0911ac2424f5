package benchdata

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// bulky is how many rows are worth building the queue's indexes anew: ten million
// rows of random order, put into four indexes one by one, take most of an hour.
const bulky = 200_000

// index is one of the queue's, as it is taken away and made again.
type index struct{ Drop, Create string }

// An index that belongs to a constraint comes and goes with it.
const queueIndexes = `SELECT
		CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
			ELSE format('ALTER TABLE malote.queue DROP CONSTRAINT %I', c.conname) END AS drop,
		CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
			ELSE format('ALTER TABLE malote.queue ADD CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid)) END AS create
	FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
	WHERE i.indrelid = 'malote.queue'::regclass`

// insertBulk runs a statement that inserts many rows into the queue, and builds its
// indexes after it. The rows come with their indexes or not at all.
func insertBulk(ctx context.Context, pool *pgxpool.Pool, statement string, arguments ...any) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, queueIndexes)
		indexes, err := pgx.CollectRows(rows, pgx.RowToStructByName[index])
		if err != nil {
			return fmt.Errorf("listing the queue's indexes: %w", err)
		}
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL maintenance_work_mem = '512MB'; SET LOCAL work_mem = '256MB'`); err != nil {
			return fmt.Errorf("getting ready: %w", err)
		}
		for _, i := range indexes {
			if _, err := tx.Exec(ctx, i.Drop); err != nil {
				return fmt.Errorf("taking an index away: %w", err)
			}
		}
		if _, err := tx.Exec(ctx, statement, arguments...); err != nil {
			return fmt.Errorf("inserting: %w", err)
		}
		for _, i := range indexes {
			if _, err := tx.Exec(ctx, i.Create); err != nil {
				return fmt.Errorf("building an index: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("making many rows to measure with: %w", err)
	}
	return nil
}

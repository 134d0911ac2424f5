package pgseen

import (
	"context"
	"fmt"
)

// expired rows are those that nobody needs: a claim that ran out stays for a day,
// for its holder may only be slow, and settles it as long as nobody else took it.
const expired = `until <= now() AND (handled OR until <= now() - interval '1 day')`

// purgeStatement passes by what others have locked; $1 and $2 are the row that
// the caller is about to change, and $5 how many go at most.
const purgeStatement = `    DELETE FROM {table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM {table}
        WHERE ` + expired + ` AND (sender, id) <> ($1::text, $2::text)
        ORDER BY until LIMIT $5::integer FOR UPDATE SKIP LOCKED))`

const purgeAllStatement = `DELETE FROM {table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM {table}
    WHERE ` + expired + `
    ORDER BY until LIMIT $1::integer FOR UPDATE SKIP LOCKED))`

// purgedAtOnce is how many rows one transaction of Purge deletes.
const purgedAtOnce = 1000

// Purge deletes the expired rows of the whole table, every sender's, in
// transactions of 1,000 rows, and returns how many there were. Nobody has to call
// it: it is for a table that is no longer written to, or for a timer of the
// receiver's own.
func (s *Store) Purge(ctx context.Context) (int64, error) {
	var total int64
	for {
		result, err := s.db.ExecContext(ctx, s.statements.purge, purgedAtOnce)
		if err != nil {
			return total, s.explain("deleting expired rows", err)
		}
		deleted, err := result.RowsAffected()
		if err != nil {
			return total, fmt.Errorf("pgseen: counting deleted rows: %w", err)
		}
		if total += deleted; deleted < purgedAtOnce {
			return total, nil
		}
	}
}

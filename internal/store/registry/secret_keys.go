package registry

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	lockSecretKeysSQL   = `SELECT pg_advisory_xact_lock(hashtextextended('malote.secret_keys', 0))`
	listSecretKeysSQL   = `SELECT k.id FROM malote.secret_keys AS k ORDER BY k.id`
	insertSecretKeysSQL = `INSERT INTO malote.secret_keys (id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`
	deleteSecretKeysSQL = `DELETE FROM malote.secret_keys AS k WHERE NOT k.id = ANY($1)`
)

// ForeignKeysError says that a process lacks keys that others may seal with, or
// that something is sealed under.
type ForeignKeysError struct{ Missing []string } // their ids, which are no secret

func (e *ForeignKeysError) Error() string {
	return "secrets are, or may be, sealed under the key " + strings.Join(e.Missing, ", ") + ", which this process was not given"
}

// AdmitKeys says whether a process with these keys may take part: it must have
// all that any process was ever admitted with, until they are retired, or one of
// them would write what another cannot read. The first process of an
// installation decides. Otherwise the answer is a ForeignKeysError.
func (r *Registry) AdmitKeys(ctx context.Context, keyIDs []string) error {
	inUse, err := r.KeysInUse(ctx)
	if err != nil {
		return err
	}
	delete(inUse, "")
	return r.inTx(ctx, "registering the keys that seal secrets", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockSecretKeysSQL); err != nil {
			return err
		}
		registered, err := registeredKeys(ctx, tx)
		if err != nil {
			return err
		}
		needed := append(registered, slices.Collect(maps.Keys(inUse))...)
		missing := slices.DeleteFunc(needed, func(id string) bool { return slices.Contains(keyIDs, id) })
		if len(missing) > 0 {
			slices.Sort(missing)
			return &ForeignKeysError{slices.Compact(missing)}
		}
		_, err = tx.Exec(ctx, insertSecretKeysSQL, keyIDs)
		return err
	})
}

func registeredKeys(ctx context.Context, from querier) ([]string, error) {
	rows, _ := from.Query(ctx, listSecretKeysSQL)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// RegisteredKeys lists the ids of the keys that processes were admitted with.
func (r *Registry) RegisteredKeys(ctx context.Context) ([]string, error) {
	ids, err := registeredKeys(ctx, r.pool)
	return ids, explain("listing the keys that seal secrets", err)
}

// RetireKeys forgets all keys but those named, which everything is sealed under:
// a process may do without the others from then on.
func (r *Registry) RetireKeys(ctx context.Context, keep ...string) error {
	_, err := r.pool.Exec(ctx, deleteSecretKeysSQL, keep)
	return explain("retiring old keys", err)
}

package registry

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	lockSecretKeysSQL   = `SELECT pg_advisory_xact_lock(hashtextextended('malote.secret_keys', 0))`
	listSecretKeysSQL   = `SELECT k.id FROM malote.secret_keys AS k ORDER BY k.created_at, k.id`
	insertSecretKeySQL  = `INSERT INTO malote.secret_keys (id) VALUES ($1) ON CONFLICT DO NOTHING`
	deleteSecretKeysSQL = `DELETE FROM malote.secret_keys AS k WHERE NOT k.id = ANY($1)`
)

// ForeignKeysError says that a process has none of the keys that the others seal
// with, or not one of those that something is sealed under.
type ForeignKeysError struct{ Missing []string } // their ids, which are no secret

func (e *ForeignKeysError) Error() string {
	return "secrets are sealed under the key " + strings.Join(e.Missing, ", ") + ", which this process was not given"
}

// AdmitKeys says whether a process may seal with the current key, given that it
// can open what is sealed under any of the known ones. The first process of an
// installation decides; whoever comes later must have the others' key, or it
// would write what they cannot read. It must also be able to open all that there
// is. Otherwise the answer is a ForeignKeysError.
func (r *Registry) AdmitKeys(ctx context.Context, current string, knows func(keyID string) bool) error {
	inUse, err := r.KeysInUse(ctx)
	if err != nil {
		return err
	}
	return r.inTx(ctx, "registering the key that seals secrets", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockSecretKeysSQL); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, listSecretKeysSQL)
		registered, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		var missing []string
		for id := range inUse {
			if id != "" && !knows(id) {
				missing = append(missing, id)
			}
		}
		if len(missing) == 0 && len(registered) > 0 && !slices.ContainsFunc(registered, knows) {
			missing = registered
		}
		if len(missing) > 0 {
			slices.Sort(missing)
			return &ForeignKeysError{slices.Compact(missing)}
		}
		_, err = tx.Exec(ctx, insertSecretKeySQL, current)
		return err
	})
}

// RetireKeys forgets all keys but the current one, which everything is sealed
// under: a process that has only older ones will not be admitted any more.
func (r *Registry) RetireKeys(ctx context.Context, current string) error {
	_, err := r.pool.Exec(ctx, deleteSecretKeysSQL, []string{current})
	return explain("retiring old keys", err)
}

package registry

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// EnsureAdminKey makes an administrator's key unless there is one that works.
// Of several processes that start at once, one makes it. An installation whose
// last key was revoked gets a new one at its next start: otherwise nobody could
// ever administer it again.
func (r *Registry) EnsureAdminKey(ctx context.Context) (plain string, created bool, _ error) {
	err := r.inTx(ctx, "creating the first admin key", func(tx pgx.Tx) error {
		plain, created = "", false
		if err := lockAlone(ctx, tx, firstAdminKey); err != nil {
			return err
		}
		var exists bool
		if err := tx.QueryRow(ctx, workingAdminKeySQL, adminShard).Scan(&exists); err != nil || exists {
			return err
		}
		var err error
		plain, _, err = r.insertKey(ctx, tx, r.newID(adminShard), ScopeAdmin, "", "first admin key")
		created = err == nil
		return err
	})
	if err != nil {
		return "", false, err
	}
	return plain, created, nil
}

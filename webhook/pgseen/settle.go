package pgseen

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/malotehq/malote/webhook"
)

// Claim is a [webhook.Claim] of a [Store].
type Claim struct {
	store *Store
	id    string // as stored
	token string // no other claim has it: whoever is late settles nothing of another's

	// promised: a transaction was told to keep the id. Whether it committed, only
	// the row can say.
	promised atomic.Bool
}

var _ webhook.Claim = (*Claim)(nil)

// keepStatement records that the id was handled, unless a transaction was to do
// it, and takes expired rows of anybody's away.
const keepStatement = `WITH purged AS (
` + purgeStatement + `
), kept AS (
    UPDATE {table} SET handled = true, until = now() + $4::bigint * interval '1 microsecond'
    WHERE sender = $1::text AND id = $2::text AND token = $3::text::uuid AND NOT handled AND NOT $6::boolean
    RETURNING 1
)
SELECT EXISTS (SELECT FROM kept)
    OR EXISTS (SELECT FROM {table} WHERE sender = $1::text AND id = $2::text AND token = $3::text::uuid AND handled)`

// purgedPerKeep is how many expired rows a webhook that was handled takes with
// it. It adds one, so two would do to catch up.
const purgedPerKeep = 8

// Keep implements [webhook.Claim]. It returns [ErrClaimLost] when another caller
// got the id meanwhile, so that the webhook may have been handled twice, and
// [webhook.ErrNotCommitted] when [KeepTx] or [KeepWith] was called and its
// transaction did not commit.
func (c *Claim) Keep(ctx context.Context) error {
	promised := c.promised.Load()
	var kept bool
	err := c.store.db.QueryRowContext(ctx, c.store.statements.keep,
		c.store.sender, c.id, c.token, c.store.retention.Microseconds(), purgedPerKeep, promised).Scan(&kept)
	switch {
	case err != nil:
		return c.store.explain("recording that an id was handled", err)
	case kept:
		return nil
	case promised:
		return webhook.ErrNotCommitted
	default:
		return ErrClaimLost
	}
}

const releaseStatement = `DELETE FROM {table}
WHERE sender = $1::text AND id = $2::text AND token = $3::text::uuid AND NOT handled`

// Release implements [webhook.Claim]. An id that was kept, by this claim's own
// transaction too, stays kept: a handler may commit and fail afterwards.
func (c *Claim) Release(ctx context.Context) error {
	_, err := c.store.db.ExecContext(ctx, c.store.statements.release, c.store.sender, c.id, c.token)
	if err != nil {
		return c.store.explain("giving an id back", err)
	}
	return nil
}

// The transaction may have begun long ago, and its now() with it. What was kept
// is not kept again: whoever begins anew because he could not tell whether his
// commit arrived must learn that it did.
const keepWithinStatement = `UPDATE {table} SET handled = true, until = clock_timestamp() + $4::bigint * interval '1 microsecond'
WHERE sender = $1::text AND id = $2::text AND token = $3::text::uuid AND NOT handled`

func (c *Claim) keepWith(ctx context.Context, exec func(context.Context, string, ...any) (int64, error)) error {
	rows, err := exec(ctx, c.store.statements.keepWithin,
		c.store.sender, c.id, c.token, c.store.retention.Microseconds())
	switch {
	case err != nil:
		return c.store.explain("recording in a transaction that an id was handled", err)
	case rows != 1:
		return ErrClaimLost
	}
	c.promised.Store(true)
	return nil
}

func claimFrom(ctx context.Context) (*Claim, error) {
	found, _ := webhook.ClaimFrom(ctx)
	claim, ok := found.(*Claim)
	if !ok {
		return nil, fmt.Errorf("%w (it has %T)", ErrNoClaim, found)
	}
	return claim, nil
}

package registry

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Once is a creating request's idempotency key. Without Key it is nothing.
//
// A repeat with an equal fingerprint gets what the first request created, one
// with another fingerprint delivery.ErrKeyReused. Keys are remembered for
// KeptFor, and are unique per kind of thing and whose it is: per tenant for
// endpoints, sources and API keys, per endpoint or source for secrets.
type Once struct {
	Key         string
	Fingerprint [32]byte // SHA-256 of all that the request said
}

// KeptFor is how long an idempotency key is remembered.
const KeptFor = 7 * 24 * time.Hour

// onceScope names what a key is unique within. The colon keeps it apart from
// the publishers' scopes: no tenant's slug has one.
type onceScope struct {
	shard delivery.Shard
	name  string
}

const (
	forgetExpiredKeySQL = `DELETE FROM malote.event_keys AS k
		WHERE k.shard = $1 AND k.scope = $2 AND k.key = $3 AND k.expires_at <= now()`

	insertKeySQL = `INSERT INTO malote.event_keys (shard, scope, key, id, fingerprint, expires_at)
		VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
		ON CONFLICT (shard, scope, key) DO NOTHING`

	selectKeySQL = `SELECT k.id, k.fingerprint FROM malote.event_keys AS k
		WHERE k.shard = $1 AND k.scope = $2 AND k.key = $3`
)

// first says whether the transaction is the first with its key, and otherwise
// what the first one created. It waits while another transaction with the key
// runs: when that one rolls back, this one is the first. It must be the first
// statement that locks anything (see the lock order).
func (o Once) first(ctx context.Context, tx pgx.Tx, scope onceScope, id delivery.ID) (created delivery.ID, first bool, err error) {
	if o.Key == "" {
		return id, true, nil
	}
	if _, err := tx.Exec(ctx, forgetExpiredKeySQL, scope.shard, scope.name, o.Key); err != nil {
		return delivery.ID{}, false, err
	}
	for range tries {
		tag, err := tx.Exec(ctx, insertKeySQL, scope.shard, scope.name, o.Key, id, o.Fingerprint[:], KeptFor)
		if err != nil || tag.RowsAffected() == 1 {
			return id, err == nil, err
		}
		var fingerprint []byte
		err = tx.QueryRow(ctx, selectKeySQL, scope.shard, scope.name, o.Key).Scan(&created, &fingerprint)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			continue // it was forgotten in between
		case err == nil && subtle.ConstantTimeCompare(fingerprint, o.Fingerprint[:]) != 1:
			return delivery.ID{}, false, delivery.ErrKeyReused
		default:
			return created, false, err
		}
	}
	return delivery.ID{}, false, errors.New("the idempotency key keeps being taken and forgotten by others")
}

// FirstID gives the id that a creating request of another kind of thing is to
// use: a new one of the shard, or, for a repeat, that of the first request with
// the key. The thing itself is made afterwards, under that id, by who must be
// able to do it twice: a process that died in between left the id and no thing.
func (r *Registry) FirstID(ctx context.Context, shard delivery.Shard, scope string, once Once) (id delivery.ID, first bool, _ error) {
	err := r.inTx(ctx, "taking an idempotency key", func(tx pgx.Tx) (err error) {
		id, first, err = once.first(ctx, tx, onceScope{shard, scope}, r.newID(shard))
		return err
	})
	return id, first, err
}

// orDeleted is for a repeat whose first request's creation is not there any more.
func orDeleted(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrCreatedAndDeleted
	}
	return err
}

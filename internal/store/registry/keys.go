package registry

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Scope is what a key may do.
type Scope string

// The scopes. All but ScopeAdmin belong to a tenant.
const (
	ScopeAdmin   Scope = "admin"
	ScopeTenant  Scope = "tenant"
	ScopePublish Scope = "publish"
	ScopeRead    Scope = "read"
)

// Scopes lists every scope.
var Scopes = []Scope{ScopeAdmin, ScopeTenant, ScopePublish, ScopeRead}

// Key is an API key as it is stored: without what proves that one holds it.
type Key struct {
	ID        delivery.ID
	Tenant    string // "" for ScopeAdmin
	Scope     Scope
	Name      string
	CreatedAt time.Time
	RevokedAt time.Time // zero: it works
}

const apiKeyColumns = `k.id, coalesce(k.tenant, ''), k.scope, k.name, k.created_at, k.revoked_at`

const (
	insertAPIKeySQL = `INSERT INTO malote.api_keys AS k (shard, id, tenant, scope, name, hash)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING ` + apiKeyColumns

	selectAPIKeySQL = `SELECT ` + apiKeyColumns + `, k.hash FROM malote.api_keys AS k
		WHERE k.shard = $1 AND k.id = $2`

	listAPIKeysSQL = `SELECT ` + apiKeyColumns + ` FROM malote.api_keys AS k
		WHERE k.shard = $1 AND k.tenant = $2 AND k.id > $3 ORDER BY k.id LIMIT $4`

	// Over all shards: only an administrator asks.
	listAllAPIKeysSQL = `SELECT ` + apiKeyColumns + ` FROM malote.api_keys AS k
		WHERE k.id > $1 ORDER BY k.id LIMIT $2`

	revokeAPIKeySQL = `UPDATE malote.api_keys AS k SET revoked_at = now()
		WHERE k.shard = $1 AND k.id = $2 AND k.revoked_at IS NULL`

	workingAdminKeySQL = `SELECT EXISTS (SELECT FROM malote.api_keys AS k
		WHERE k.shard = $1 AND k.scope = 'admin' AND k.revoked_at IS NULL)`
)

// adminShard is where keys without a tenant are.
const adminShard delivery.Shard = 0

// CreateKey makes an API key. plain is what its holder presents: nobody can
// ever see it again, so it is "" when the idempotency key is a repeat. tenant
// is "" for ScopeAdmin and only for it.
func (r *Registry) CreateKey(ctx context.Context, scope Scope, tenant, name string, once Once) (plain string, key Key, _ error) {
	shard := adminShard
	if tenant != "" {
		shard = delivery.ShardOf(tenant)
	}
	err := r.inTx(ctx, "creating an API key", func(tx pgx.Tx) error {
		id := r.newID(shard)
		made, first, err := once.first(ctx, tx, onceScope{shard, "key:" + tenant}, id)
		switch {
		case err != nil:
			return err
		case !first:
			plain = ""
			key, _, err = readKey(tx.QueryRow(ctx, selectAPIKeySQL, shard, made))
			return orDeleted(err)
		}
		if tenant != "" {
			if err := holdTenant(ctx, tx, shard, tenant); err != nil {
				return err
			}
		}
		plain, key, err = r.insertKey(ctx, tx, id, scope, tenant, name)
		return err
	})
	if err != nil {
		return "", Key{}, err
	}
	return plain, key, nil
}

func (r *Registry) insertKey(ctx context.Context, tx pgx.Tx, id delivery.ID, scope Scope, tenant, name string) (string, Key, error) {
	plain := newPlainKey(id, r.random)
	hash := hashKey(plain)
	key, err := scanKey(tx.QueryRow(ctx, insertAPIKeySQL, id.Shard(), id, text(tenant), scope, name, hash[:]))
	return plain, key, err
}

func holdTenant(ctx context.Context, tx pgx.Tx, shard delivery.Shard, tenant string) error {
	tag, err := tx.Exec(ctx, holdTenantSQL, shard, tenant)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNoTenant
	}
	return err
}

// FindKey finds the key that a caller presents. One that is malformed, wrong or
// revoked is ErrNoKey, whichever it is.
func (r *Registry) FindKey(ctx context.Context, plain string) (Key, error) {
	id, err := parsePlainKey(plain)
	if err != nil {
		return Key{}, ErrNoKey
	}
	key, hash, err := readKey(r.pool.QueryRow(ctx, selectAPIKeySQL, id.Shard(), id))
	if err != nil {
		return Key{}, explain("reading an API key", err)
	}
	presented := hashKey(plain)
	if subtle.ConstantTimeCompare(hash, presented[:]) != 1 || !key.RevokedAt.IsZero() {
		return Key{}, ErrNoKey
	}
	return key, nil
}

// Keys lists an owner's keys, revoked ones included.
func (r *Registry) Keys(ctx context.Context, owner Owner, page Page) (_ []Key, more bool, _ error) {
	var rows pgx.Rows
	if owner.any {
		rows, _ = r.pool.Query(ctx, listAllAPIKeysSQL, page.after(), page.Limit+1)
	} else {
		rows, _ = r.pool.Query(ctx, listAPIKeysSQL, delivery.ShardOf(owner.tenant), owner.tenant, page.after(), page.Limit+1)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Key, error) { return scanKey(row) })
	keys, more = cut(keys, page.Limit)
	return keys, more, explain("listing API keys", err)
}

// RevokeKey ends a key at once, and gives it as it was; revoking it again changes
// nothing.
func (r *Registry) RevokeKey(ctx context.Context, owner Owner, id delivery.ID) (Key, error) {
	key, _, err := readKey(r.pool.QueryRow(ctx, selectAPIKeySQL, id.Shard(), id))
	if err == nil && !owner.owns(key.Tenant) {
		err = ErrNoKey
	}
	if err == nil {
		_, err = r.pool.Exec(ctx, revokeAPIKeySQL, id.Shard(), id)
	}
	if err != nil {
		return Key{}, explain("revoking an API key", err)
	}
	return key, nil
}

func readKey(row pgx.Row) (Key, []byte, error) {
	var hash []byte
	key, err := scanKey(row, &hash)
	return key, hash, orMissing(err, ErrNoKey)
}

func scanKey(row pgx.Row, more ...any) (k Key, err error) {
	err = row.Scan(append([]any{&k.ID, &k.Tenant, &k.Scope, &k.Name, instant{&k.CreatedAt}, instant{&k.RevokedAt}}, more...)...)
	return k, err
}

package registry

import (
	"context"
	"crypto/subtle"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/seal"
)

// SecretRole limits what a source's secret may be used for. The texts are those
// that verification uses, and one more.
type SecretRole string

// What a source's secret may be used for. The database knows no other.
const (
	RoleAny       SecretRole = "" // whatever the provider has one for, but no repair
	RoleSignature SecretRole = "signature"
	RoleHandshake SecretRole = "handshake"
	// RoleRepair opens the provider's own API, where the events are listed that
	// should have come in. The door never sees it.
	RoleRepair SecretRole = "repair"
)

// SourceSecret is one secret of a source. Value is sensitive: it is never
// logged or listed.
type SourceSecret struct {
	ID        delivery.ID
	Name      string // unique among the source's live ones; given none, it is the id
	Role      SecretRole
	Value     string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: until revoked
}

// String keeps a secret out of every message, even by accident.
func (s SourceSecret) String() string { return "secret " + s.ID.Format(delivery.SecretPrefix) }

// GoString keeps it out of %#v.
func (s SourceSecret) GoString() string { return s.String() }

// MarshalText keeps it out of JSON, log lines included.
func (s SourceSecret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

const liveSourceSecrets = ` FROM malote.source_secrets AS s
	WHERE s.shard = $1 AND s.source_id = $2 AND (s.expires_at IS NULL OR s.expires_at > now()) `

const (
	// The clock at the insert, for the reason that insertSecretSQL gives.
	insertSourceSecretSQL = `INSERT INTO malote.source_secrets AS s (shard, id, source_id, name, role, value, key_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp()) RETURNING s.created_at`

	sourceSecretValuesSQL = `SELECT s.id, s.value, s.key_id` + liveSourceSecrets + `AND s.role = $3`

	countSourceSecretsSQL = `SELECT count(*), count(*) FILTER (WHERE s.name = $3)` + liveSourceSecrets

	listSourceSecretsSQL = `SELECT s.id, s.name, s.role, s.created_at, s.expires_at` + liveSourceSecrets + `
		ORDER BY s.created_at DESC, s.id DESC`

	// One that expires sooner anyway keeps its time.
	expireSourceSecretsSQL = `UPDATE malote.source_secrets AS s SET expires_at = now() + $4::interval
		FROM (SELECT x.id FROM malote.source_secrets AS x
			WHERE x.shard = $1 AND x.source_id = $2 AND x.role = $3
				AND (x.expires_at IS NULL OR x.expires_at > now() + $4::interval)
			ORDER BY x.id FOR UPDATE) AS older
		WHERE s.shard = $1 AND s.id = older.id`

	revokeSourceSecretSQL = `DELETE FROM malote.source_secrets AS s
		WHERE s.shard = $1 AND s.source_id = $2 AND s.id = $3`

	// Over all shards: a maintenance query.
	forgetExpiredOfSourcesSQL = `DELETE FROM malote.source_secrets AS s WHERE s.expires_at <= now()`
)

// AddSourceSecret gives a source one more secret, of which name, role and value
// count. Its name is ErrSecretNameTaken while a live one has it. created is
// false, and the value missing, if the idempotency key is a repeat.
func (r *Registry) AddSourceSecret(ctx context.Context, owner Owner, source delivery.ID, secret SourceSecret, once Once) (_ SourceSecret, created bool, _ error) {
	return r.addSourceSecret(ctx, owner, source, secret, once, func(pgx.Tx) error { return nil })
}

// RotateSourceSecret adds a secret as AddSourceSecret does and lets all older
// ones of the same role expire after the overlap, in which either is taken; with
// none they end at once, and their names are free.
func (r *Registry) RotateSourceSecret(ctx context.Context, owner Owner, source delivery.ID, secret SourceSecret, overlap time.Duration, once Once) (_ SourceSecret, created bool, _ error) {
	return r.addSourceSecret(ctx, owner, source, secret, once, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, expireSourceSecretsSQL, source.Shard(), source, secret.Role, overlap)
		return err
	})
}

func (r *Registry) addSourceSecret(ctx context.Context, owner Owner, source delivery.ID, secret SourceSecret, once Once, before func(pgx.Tx) error) (added SourceSecret, created bool, _ error) {
	if _, err := r.findSource(ctx, owner, source); err != nil {
		return SourceSecret{}, false, explain("adding a source's secret", err)
	}
	shard := source.Shard()
	err := r.inTx(ctx, "adding a source's secret", func(tx pgx.Tx) error {
		id, first, err := once.first(ctx, tx, onceScope{shard, "source_secret:" + source.String()}, r.newID(shard))
		created = first
		if err != nil {
			return err
		}
		if !first {
			added, err = repeatedSourceSecret(ctx, tx, source, id)
			return err
		}
		return changeSource(ctx, tx, owner, source, func() error {
			if err := r.refuseSameValue(ctx, tx, source, secret); err != nil {
				return err
			}
			if err := before(tx); err != nil {
				return err
			}
			added, err = r.insertSourceSecret(ctx, tx, source, id, secret)
			return err
		})
	})
	if err != nil {
		return SourceSecret{}, false, err
	}
	return added, created, nil
}

func repeatedSourceSecret(ctx context.Context, tx pgx.Tx, source, id delivery.ID) (SourceSecret, error) {
	live, err := readSourceSecrets(ctx, tx, source)
	if err != nil {
		return SourceSecret{}, err
	}
	at := slices.IndexFunc(live, func(s SourceSecret) bool { return s.ID == id })
	if at < 0 {
		return SourceSecret{}, ErrCreatedAndDeleted
	}
	return live[at], nil
}

// refuseSameValue opens the live ones of the role to compare: sealed, no two are
// alike. For another role the same value may be added, and then the first one
// revoked, without a moment that has neither.
func (r *Registry) refuseSameValue(ctx context.Context, tx pgx.Tx, source delivery.ID, secret SourceSecret) error {
	rows, _ := tx.Query(ctx, sourceSecretValuesSQL, source.Shard(), source, secret.Role)
	var id delivery.ID
	var sealed []byte
	var keyID string
	_, err := pgx.ForEachRow(rows, []any{&id, &sealed, &keyID}, func() error {
		present, err := r.openSourceSecret(id, sealed, keyID)
		if err == nil && subtle.ConstantTimeCompare([]byte(present), []byte(secret.Value)) == 1 {
			return ErrSecretExists
		}
		return err
	})
	return err
}

func (r *Registry) openSourceSecret(id delivery.ID, sealed []byte, keyID string) (string, error) {
	value, err := r.sealer.Open(sealed, seal.SourceSecretContext(id), keyID)
	if err != nil {
		return "", fmt.Errorf("opening %s: %w", id.Format(delivery.SecretPrefix), err)
	}
	return string(value), nil
}

// insertSourceSecret expects the source to be locked, or to be this
// transaction's own.
func (r *Registry) insertSourceSecret(ctx context.Context, tx pgx.Tx, source, id delivery.ID, secret SourceSecret) (SourceSecret, error) {
	added := SourceSecret{ID: id, Name: secret.Name, Role: secret.Role, Value: secret.Value}
	if added.Name == "" {
		added.Name = id.Format(delivery.SecretPrefix)
	}
	var live, named int
	if err := tx.QueryRow(ctx, countSourceSecretsSQL, source.Shard(), source, added.Name).Scan(&live, &named); err != nil {
		return SourceSecret{}, err
	}
	switch {
	case named > 0:
		return SourceSecret{}, ErrSecretNameTaken
	case live >= MaxSecrets:
		return SourceSecret{}, ErrTooManySecrets
	}
	sealed, keyID := r.sealer.Seal([]byte(secret.Value), seal.SourceSecretContext(id), r.random)
	err := tx.QueryRow(ctx, insertSourceSecretSQL, source.Shard(), id, source, added.Name, added.Role, sealed, keyID).
		Scan(instant{&added.CreatedAt})
	return added, err
}

// insertSourceSecrets stores a new source's secrets so that the first given is
// the newest: it is the current one.
func (r *Registry) insertSourceSecrets(ctx context.Context, tx pgx.Tx, source delivery.ID, given []SourceSecret) ([]SourceSecret, error) {
	secrets := make([]SourceSecret, len(given))
	for i, secret := range slices.Backward(given) {
		if err := r.refuseSameValue(ctx, tx, source, secret); err != nil {
			return nil, err
		}
		added, err := r.insertSourceSecret(ctx, tx, source, r.newID(source.Shard()), secret)
		if err != nil {
			return nil, err
		}
		secrets[i] = added
	}
	return secrets, nil
}

// SourceSecrets lists a source's live secrets without their values, newest first.
func (r *Registry) SourceSecrets(ctx context.Context, owner Owner, source delivery.ID) ([]SourceSecret, error) {
	if _, err := r.findSource(ctx, owner, source); err != nil {
		return nil, explain("listing a source's secrets", err)
	}
	secrets, err := readSourceSecrets(ctx, r.pool, source)
	return secrets, explain("listing a source's secrets", err)
}

func readSourceSecrets(ctx context.Context, from querier, source delivery.ID) ([]SourceSecret, error) {
	rows, _ := from.Query(ctx, listSourceSecretsSQL, source.Shard(), source)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s SourceSecret, err error) {
		err = row.Scan(&s.ID, &s.Name, &s.Role, instant{&s.CreatedAt}, instant{&s.ExpiresAt})
		return s, err
	})
}

// RevokeSourceSecret ends a secret at once and forgets its value. It may be the
// last one: nothing that needs one is taken then.
func (r *Registry) RevokeSourceSecret(ctx context.Context, owner Owner, source, secret delivery.ID) error {
	return r.inTx(ctx, "revoking a source's secret", func(tx pgx.Tx) error {
		return changeSource(ctx, tx, owner, source, func() error {
			tag, err := tx.Exec(ctx, revokeSourceSecretSQL, source.Shard(), source, secret)
			if err == nil && tag.RowsAffected() == 0 {
				return ErrNoSecret
			}
			return err
		})
	})
}

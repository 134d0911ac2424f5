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

const (
	// The clock at the insert, not the transaction's start: a rotation that
	// waited for another one is the newer of the two, and signs first.
	insertSecretSQL = `INSERT INTO malote.endpoint_secrets AS s (shard, id, endpoint_id, value, key_id, created_at)
		VALUES ($1, $2, $3, $4, $5, clock_timestamp()) RETURNING s.id, s.created_at, s.expires_at`

	secretValuesSQL = `SELECT s.id, s.value, s.key_id FROM malote.endpoint_secrets AS s
		WHERE s.shard = $1 AND s.endpoint_id = $2 AND (s.expires_at IS NULL OR s.expires_at > now())`

	listSecretsSQL = `SELECT s.id, s.created_at, s.expires_at FROM malote.endpoint_secrets AS s
		WHERE s.shard = $1 AND s.endpoint_id = $2 AND (s.expires_at IS NULL OR s.expires_at > now())
		ORDER BY s.created_at DESC, s.id DESC`

	// One that expires sooner anyway keeps its time.
	expireSecretsSQL = `UPDATE malote.endpoint_secrets AS s SET expires_at = now() + $3::interval
		FROM (SELECT x.id FROM malote.endpoint_secrets AS x
			WHERE x.shard = $1 AND x.endpoint_id = $2 AND (x.expires_at IS NULL OR x.expires_at > now() + $3::interval)
			ORDER BY x.id FOR UPDATE) AS older
		WHERE s.shard = $1 AND s.id = older.id`

	revokeSecretSQL = `DELETE FROM malote.endpoint_secrets AS s
		WHERE s.shard = $1 AND s.endpoint_id = $2 AND s.id = $3`

	// Over all shards: a maintenance query.
	forgetExpiredSQL = `DELETE FROM malote.endpoint_secrets AS s WHERE s.expires_at <= now()`
)

// AddSecret gives an endpoint one more secret, which signs first from now on
// (D14). created is false, and the value missing, if the idempotency key is a
// repeat.
func (r *Registry) AddSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, once Once) (_ delivery.Secret, created bool, _ error) {
	return r.addSecret(ctx, owner, endpoint, value, once, func(pgx.Tx) error { return nil })
}

// RotateSecret adds a secret as AddSecret does and lets all older ones expire
// after the overlap, in which they go on signing beside it (S05); with none
// they stop at once.
func (r *Registry) RotateSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, overlap time.Duration, once Once) (_ delivery.Secret, created bool, _ error) {
	return r.addSecret(ctx, owner, endpoint, value, once, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, expireSecretsSQL, endpoint.Shard(), endpoint, overlap)
		return err
	})
}

func (r *Registry) addSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, once Once, before func(pgx.Tx) error) (secret delivery.Secret, created bool, _ error) {
	if _, err := r.findEndpoint(ctx, owner, endpoint); err != nil {
		return delivery.Secret{}, false, explain("adding a secret", err)
	}
	shard := endpoint.Shard()
	err := r.inTx(ctx, "adding a secret", func(tx pgx.Tx) error {
		id, first, err := once.first(ctx, tx, onceScope{shard, "secret:" + endpoint.String()}, r.newID(shard))
		created = first
		if err != nil {
			return err
		}
		if !first {
			secret, err = repeatedSecret(ctx, tx, endpoint, id)
			return err
		}
		return changeEndpoint(ctx, tx, owner, endpoint, func(lane) error {
			if err := r.refuseSecondCopy(ctx, tx, endpoint, value); err != nil {
				return err
			}
			if err := before(tx); err != nil {
				return err
			}
			secret, err = r.insertSecret(ctx, tx, endpoint, id, value)
			return err
		})
	})
	if err != nil {
		return delivery.Secret{}, false, err
	}
	return secret, created, nil
}

func repeatedSecret(ctx context.Context, tx pgx.Tx, endpoint, id delivery.ID) (delivery.Secret, error) {
	live, err := readSecrets(ctx, tx, endpoint)
	if err != nil {
		return delivery.Secret{}, err
	}
	at := slices.IndexFunc(live, func(s delivery.Secret) bool { return s.ID == id })
	if at < 0 {
		return delivery.Secret{}, ErrCreatedAndDeleted
	}
	return live[at], nil
}

// MaxSecrets is how many secrets of an endpoint, or of a source, may be live at
// once: each adds a signature to every request, and a receiver tries them all.
const MaxSecrets = 10

// refuseSecondCopy opens the live ones to compare: sealed, no two are alike.
func (r *Registry) refuseSecondCopy(ctx context.Context, tx pgx.Tx, endpoint delivery.ID, value string) error {
	rows, _ := tx.Query(ctx, secretValuesSQL, endpoint.Shard(), endpoint)
	var id delivery.ID
	var sealed []byte
	var keyID string
	live := 0
	_, err := pgx.ForEachRow(rows, []any{&id, &sealed, &keyID}, func() error {
		live++
		present, err := r.sealer.Open(sealed, seal.EndpointSecretContext(id), keyID)
		switch {
		case err != nil:
			return fmt.Errorf("opening %s: %w", id.Format(delivery.SecretPrefix), err)
		case subtle.ConstantTimeCompare(present, []byte(value)) == 1:
			return ErrSecretExists
		}
		return nil
	})
	if err == nil && live >= MaxSecrets {
		return ErrTooManySecrets
	}
	return err
}

func (r *Registry) insertSecret(ctx context.Context, tx pgx.Tx, endpoint, id delivery.ID, value string) (delivery.Secret, error) {
	secret := delivery.Secret{Value: value}
	sealed, keyID := r.sealer.Seal([]byte(value), seal.EndpointSecretContext(id), r.random)
	err := tx.QueryRow(ctx, insertSecretSQL, endpoint.Shard(), id, endpoint, sealed, keyID).
		Scan(&secret.ID, instant{&secret.CreatedAt}, instant{&secret.ExpiresAt})
	return secret, err
}

// insertSecrets stores a new endpoint's secrets so that the first given is the
// newest: it is the current one.
func (r *Registry) insertSecrets(ctx context.Context, tx pgx.Tx, endpoint delivery.ID, values []string) ([]delivery.Secret, error) {
	secrets := make([]delivery.Secret, len(values))
	for i, value := range slices.Backward(values) {
		if err := r.refuseSecondCopy(ctx, tx, endpoint, value); err != nil {
			return nil, err
		}
		secret, err := r.insertSecret(ctx, tx, endpoint, r.newID(endpoint.Shard()), value)
		if err != nil {
			return nil, err
		}
		secrets[i] = secret
	}
	return secrets, nil
}

// Secrets lists an endpoint's live secrets without their values, newest first.
func (r *Registry) Secrets(ctx context.Context, owner Owner, endpoint delivery.ID) ([]delivery.Secret, error) {
	_, err := r.findEndpoint(ctx, owner, endpoint)
	if err != nil {
		return nil, explain("listing secrets", err)
	}
	secrets, err := readSecrets(ctx, r.pool, endpoint)
	return secrets, explain("listing secrets", err)
}

func readSecrets(ctx context.Context, from querier, endpoint delivery.ID) ([]delivery.Secret, error) {
	rows, _ := from.Query(ctx, listSecretsSQL, endpoint.Shard(), endpoint)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s delivery.Secret, err error) {
		err = row.Scan(&s.ID, instant{&s.CreatedAt}, instant{&s.ExpiresAt})
		return s, err
	})
}

// RevokeSecret ends a secret at once and forgets its value. It may be the last
// one: nothing is sent then, every attempt says so (D13).
func (r *Registry) RevokeSecret(ctx context.Context, owner Owner, endpoint, secret delivery.ID) error {
	return r.inTx(ctx, "revoking a secret", func(tx pgx.Tx) error {
		return changeEndpoint(ctx, tx, owner, endpoint, func(l lane) error {
			tag, err := tx.Exec(ctx, revokeSecretSQL, l.shard, endpoint, secret)
			if err == nil && tag.RowsAffected() == 0 {
				return ErrNoSecret
			}
			return err
		})
	})
}

// ForgetExpiredSecrets forgets the values of endpoints' and sources' secrets that
// have expired, and says how many: after a rotation's overlap nobody needs them.
func (r *Registry) ForgetExpiredSecrets(ctx context.Context) (forgotten int, _ error) {
	for _, statement := range []string{forgetExpiredSQL, forgetExpiredOfSourcesSQL} {
		tag, err := r.pool.Exec(ctx, statement)
		if err != nil {
			return forgotten, explain("forgetting expired secrets", err)
		}
		forgotten += int(tag.RowsAffected())
	}
	return forgotten, nil
}

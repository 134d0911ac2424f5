package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Source is where other people's webhooks come in. Its secrets are there only in
// the answer to the request that created it, their values only the first time.
type Source struct {
	ID          delivery.ID
	Tenant      string
	Name        string
	Provider    string
	Description string
	Settings    json.RawMessage // see NewSource
	PausedAt    time.Time       // zero: it is not paused
	CreatedAt   time.Time
	UpdatedAt   time.Time

	SecretNames []string // of the live ones, newest first
	Secrets     []SourceSecret
}

// NewSource is a source to be created.
type NewSource struct {
	Tenant      string
	Name        string
	Provider    string
	Description string
	// Settings is a JSON object of at most MaxSettings bytes, or nothing: then it
	// is the empty one. Only the door knows what is in it; it is kept byte for byte.
	Settings json.RawMessage
	// Secrets with their name, role and value, the current one first.
	Secrets []SourceSecret
}

// MaxSettings bounds a source's settings, in bytes.
const MaxSettings = 16 << 10

// ErrInvalidSettings refuses settings that are no JSON object, or too long.
var ErrInvalidSettings = errors.New("a source's settings must be a JSON object of at most 16 KiB")

// asSettings holds settings to their form.
func asSettings(given json.RawMessage) (json.RawMessage, error) {
	object := bytes.TrimLeft(given, " \t\r\n")
	switch {
	case len(given) == 0:
		return json.RawMessage(`{}`), nil
	case len(given) > MaxSettings, !bytes.HasPrefix(object, []byte("{")), !json.Valid(given):
		return nil, ErrInvalidSettings
	}
	return given, nil
}

const insertSourceSQL = `INSERT INTO malote.sources (shard, id, tenant, name, provider, description, settings)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

// CreateSource makes a source and its first secrets; created is false if the
// idempotency key is a repeat. A tenant that is not there is ErrNoTenant, and
// Malote's own takes in nothing of others: ErrTenantReserved.
func (r *Registry) CreateSource(ctx context.Context, source NewSource, once Once) (made Source, created bool, _ error) {
	settings, err := asSettings(source.Settings)
	if err != nil {
		return Source{}, false, explain("creating a source", err)
	}
	if source.Tenant == delivery.OwnTenant {
		return Source{}, false, explain("creating a source", ErrTenantReserved)
	}
	source.Settings = settings
	shard := delivery.ShardOf(source.Tenant)
	err = r.inTx(ctx, "creating a source", func(tx pgx.Tx) error {
		id, first, err := once.first(ctx, tx, sourceOfTenant(shard, source.Tenant), r.newID(shard))
		created = first
		if err != nil {
			return err
		}
		var secrets []SourceSecret
		if first {
			secrets, err = r.insertSource(ctx, tx, id, source)
		} else {
			secrets, err = readSourceSecrets(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		made, err = readSource(ctx, tx, id)
		made.Secrets = secrets
		if !first {
			err = orDeleted(err)
		}
		return err
	})
	if err != nil {
		return Source{}, false, err
	}
	return made, created, nil
}

// sourceOfTenant is not called source: by that name, and a source's id, go the
// identifiers that providers give events.
func sourceOfTenant(shard delivery.Shard, tenant string) onceScope {
	return onceScope{shard, "new_source:" + tenant}
}

func (r *Registry) insertSource(ctx context.Context, tx pgx.Tx, id delivery.ID, source NewSource) ([]SourceSecret, error) {
	shard := id.Shard()
	if err := holdTenant(ctx, tx, shard, source.Tenant); err != nil {
		return nil, err
	}
	_, err := tx.Exec(ctx, insertSourceSQL, shard, id, source.Tenant, source.Name, source.Provider, source.Description, source.Settings)
	if err != nil {
		return nil, err
	}
	return r.insertSourceSecrets(ctx, tx, id, source.Secrets)
}

package registry

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// RepairSource is a source whose gaps somebody wants to be repaired: it has a
// secret for the provider's own API.
type RepairSource struct {
	ID        delivery.ID
	Tenant    string
	Provider  string
	Settings  json.RawMessage
	CreatedAt time.Time
	Token     SourceSecret // the newest live one of RoleRepair, with its value
}

const (
	repairableSQL = `s.id, s.tenant, s.provider, s.settings, s.created_at,
			x.id, x.name, x.role, x.created_at, x.expires_at, x.value, x.key_id
		FROM malote.source_secrets AS x
		JOIN malote.sources AS s ON s.shard = x.shard AND s.id = x.source_id
		WHERE x.role = 'repair' AND (x.expires_at IS NULL OR x.expires_at > now())
			AND s.deleted_at IS NULL AND s.paused_at IS NULL`

	// Over all shards: the partial index has only such secrets.
	repairSourcesSQL = `SELECT DISTINCT ON (s.id) ` + repairableSQL + `
		ORDER BY s.id, x.created_at DESC, x.id DESC`

	repairSourceSQL = `SELECT ` + repairableSQL + ` AND s.shard = $1 AND s.id = $2
		ORDER BY x.created_at DESC, x.id DESC LIMIT 1`

	hasRepairSecretSQL = `SELECT EXISTS (SELECT FROM malote.source_secrets AS x
		WHERE x.shard = $1 AND x.source_id = $2 AND x.role = 'repair' AND (x.expires_at IS NULL OR x.expires_at > now()))`
)

// RepairSources lists all such sources that are not paused. One whose secret
// cannot be opened is left out and keeps no other from being listed: the error
// stands beside those that could be read.
func (r *Registry) RepairSources(ctx context.Context) ([]RepairSource, error) {
	rows, _ := r.pool.Query(ctx, repairSourcesSQL)
	sources, err := r.readRepairSources(rows)
	return sources, explain("listing sources to be repaired", err)
}

// RepairSource finds one of them and opens no other's secret. One that is paused,
// deleted or without such a secret is ErrNoSource.
func (r *Registry) RepairSource(ctx context.Context, id delivery.ID) (RepairSource, error) {
	rows, _ := r.pool.Query(ctx, repairSourceSQL, id.Shard(), id)
	sources, err := r.readRepairSources(rows)
	if err == nil && len(sources) == 0 {
		err = ErrNoSource
	}
	if err != nil {
		return RepairSource{}, explain("reading a source to be repaired", err)
	}
	return sources[0], nil
}

func (r *Registry) readRepairSources(rows pgx.Rows) ([]RepairSource, error) {
	var sources []RepairSource
	var unopened []error
	var s RepairSource
	var sealed []byte
	var keyID string
	columns := []any{
		&s.ID, &s.Tenant, &s.Provider, &s.Settings, instant{&s.CreatedAt}, &s.Token.ID, &s.Token.Name, &s.Token.Role,
		instant{&s.Token.CreatedAt}, instant{&s.Token.ExpiresAt}, &sealed, &keyID,
	}
	_, err := pgx.ForEachRow(rows, columns, func() (err error) {
		if s.Token.Value, err = r.openSourceSecret(s.Token.ID, sealed, keyID); err != nil {
			unopened = append(unopened, err)
			return nil
		}
		sources = append(sources, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sources, errors.Join(unopened...)
}

// UpdateGuardedSource changes a source as UpdateSource does. While it has a live
// secret of RoleRepair, guard must allow the step from the present settings to
// the new ones: they say where the secret goes, and who may change them need not
// be who may read it. The source is locked when it is asked, and nobody can add a
// secret meanwhile. It may be called again; its error undoes everything and is
// what errors.As finds.
func (r *Registry) UpdateGuardedSource(ctx context.Context, owner Owner, id delivery.ID, change SourceChange, guard func(present, changed json.RawMessage) error) (Source, error) {
	return r.changedSource(ctx, "changing a source", owner, id, func(tx pgx.Tx) error {
		var hasToken bool
		if err := tx.QueryRow(ctx, hasRepairSecretSQL, id.Shard(), id).Scan(&hasToken); err != nil {
			return err
		}
		guarded := change
		if hasToken && change.Settings != nil {
			guarded.Settings = func(present json.RawMessage) (json.RawMessage, error) {
				changed, err := change.Settings(present)
				if err == nil {
					err = guard(present, changed)
				}
				return changed, err
			}
		}
		settings, err := guarded.settings(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, updateSourceSQL, id.Shard(), id, change.Name, change.Description, settings)
		return err
	})
}

package registry

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// DoorSource is what the inbound door needs to know of a source to answer a
// request. It may be kept while its version, as SourceVersions gives it, is the
// same, and no longer than FreshFor.
type DoorSource struct {
	ID       delivery.ID
	Tenant   string
	Name     string
	Provider string
	Settings json.RawMessage
	Paused   bool
	Version  int64
	// Secrets are the live ones with their values, newest first, without those
	// of RoleRepair.
	Secrets []SourceSecret
	// FreshFor is how long after the read the first of the secrets expires, by
	// the database's clock; 0: none does.
	FreshFor time.Duration
}

const (
	sourceForDoorSQL = `SELECT s.tenant, s.name, s.provider, s.settings, s.paused_at IS NOT NULL, s.version
		FROM malote.sources AS s WHERE s.shard = $1 AND s.id = $2 AND s.deleted_at IS NULL`

	doorSecretsSQL = `SELECT s.id, s.name, s.role, s.created_at, s.expires_at, s.value, s.key_id,
			coalesce((extract(epoch FROM s.expires_at - now()) * 1000000)::bigint, 0)` + liveSourceSecrets + `
			AND (s.role = 'repair') = $3
		ORDER BY s.created_at DESC, s.id DESC`

	sourceVersionsSQL = `SELECT s.id, s.version FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, id)
		JOIN malote.sources AS s ON s.shard = wanted.shard AND s.id = wanted.id
		WHERE s.deleted_at IS NULL`
)

// SourceForDoor reads a source and opens its secrets. One that is unknown or
// deleted is ErrNoSource. A secret that cannot be opened is an error: without it,
// a request would be turned away that may well be signed with it.
func (r *Registry) SourceForDoor(ctx context.Context, id delivery.ID) (source DoorSource, _ error) {
	// Both statements see the same instant, so that the version is the secrets'.
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, r.pool, snapshot, func(tx pgx.Tx) error {
		source = DoorSource{ID: id}
		err := tx.QueryRow(ctx, sourceForDoorSQL, id.Shard(), id).
			Scan(&source.Tenant, &source.Name, &source.Provider, &source.Settings, &source.Paused, &source.Version)
		if err != nil {
			return orMissing(err, ErrNoSource)
		}
		source.Secrets, source.FreshFor, err = r.openSourceSecrets(ctx, tx, id, false)
		return err
	})
	if err != nil {
		return DoorSource{}, explain("reading a source for a request", err)
	}
	return source, nil
}

// RepairSecrets gives the live secrets of RoleRepair with their values, newest
// first. An unknown source has none.
func (r *Registry) RepairSecrets(ctx context.Context, source delivery.ID) ([]SourceSecret, error) {
	secrets, _, err := r.openSourceSecrets(ctx, r.pool, source, true)
	return secrets, explain("reading a source's secrets for its repair", err)
}

func (r *Registry) openSourceSecrets(ctx context.Context, from querier, source delivery.ID, ofRepair bool) (_ []SourceSecret, freshFor time.Duration, _ error) {
	rows, _ := from.Query(ctx, doorSecretsSQL, source.Shard(), source, ofRepair)
	secrets, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s SourceSecret, err error) {
		var sealed []byte
		var keyID string
		var left int64
		err = row.Scan(&s.ID, &s.Name, &s.Role, instant{&s.CreatedAt}, instant{&s.ExpiresAt}, &sealed, &keyID, &left)
		if err != nil {
			return s, err
		}
		if ends := time.Duration(left) * time.Microsecond; ends > 0 && (freshFor == 0 || ends < freshFor) {
			freshFor = ends
		}
		s.Value, err = r.openSourceSecret(s.ID, sealed, keyID)
		return s, err
	})
	return secrets, freshFor, err
}

// SourceVersions gives the versions of those of the sources that are there:
// whatever the door could notice raises a source's. The cost is one look into an
// index for each.
func (r *Registry) SourceVersions(ctx context.Context, ids []delivery.ID) (map[delivery.ID]int64, error) {
	shards := make([]delivery.Shard, len(ids))
	for i, id := range ids {
		shards[i] = id.Shard()
	}
	versions := make(map[delivery.ID]int64, len(ids))
	rows, _ := r.pool.Query(ctx, sourceVersionsSQL, shards, ids)
	var id delivery.ID
	var version int64
	_, err := pgx.ForEachRow(rows, []any{&id, &version}, func() error {
		versions[id] = version
		return nil
	})
	return versions, explain("reading sources' versions", err)
}

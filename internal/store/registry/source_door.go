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
	// One statement, so that the version is the secrets'.
	sourceForDoorSQL = `SELECT s.tenant, s.name, s.provider, s.settings, s.paused_at IS NOT NULL, s.version,
			x.id, coalesce(x.name, ''), coalesce(x.role, ''), x.created_at, x.expires_at, x.value, coalesce(x.key_id, ''),
			coalesce((extract(epoch FROM x.expires_at - now()) * 1000000)::bigint, 0)
		FROM malote.sources AS s
		LEFT JOIN malote.source_secrets AS x ON x.shard = s.shard AND x.source_id = s.id AND x.role <> 'repair'
			AND (x.expires_at IS NULL OR x.expires_at > now())
		WHERE s.shard = $1 AND s.id = $2 AND s.deleted_at IS NULL
		ORDER BY x.created_at DESC, x.id DESC`

	sourceVersionsSQL = `SELECT s.id, s.version FROM unnest($1::smallint[], $2::uuid[]) AS wanted (shard, id)
		JOIN malote.sources AS s ON s.shard = wanted.shard AND s.id = wanted.id
		WHERE s.deleted_at IS NULL`
)

// SourceForDoor reads a source and opens its secrets, in one round trip. One that
// is unknown or deleted is ErrNoSource. A secret that cannot be opened is an
// error: without it, a request would be turned away that may well be signed with
// it.
func (r *Registry) SourceForDoor(ctx context.Context, id delivery.ID) (DoorSource, error) {
	source := DoorSource{ID: id}
	rows, _ := r.pool.Query(ctx, sourceForDoorSQL, id.Shard(), id)
	var secret SourceSecret
	var sealed []byte
	var keyID string
	var left int64 // microseconds; 0: it does not expire
	columns := []any{
		&source.Tenant, &source.Name, &source.Provider, &source.Settings, &source.Paused, &source.Version,
		&secret.ID, &secret.Name, &secret.Role, instant{&secret.CreatedAt}, instant{&secret.ExpiresAt}, &sealed, &keyID, &left,
	}
	tag, err := pgx.ForEachRow(rows, columns, func() (err error) {
		if secret.ID.IsZero() {
			return nil // it has none
		}
		if secret.Value, err = r.openSourceSecret(secret.ID, sealed, keyID); err != nil {
			return err
		}
		source.Secrets = append(source.Secrets, secret)
		if ends := time.Duration(left) * time.Microsecond; ends > 0 && (source.FreshFor == 0 || ends < source.FreshFor) {
			source.FreshFor = ends
		}
		return nil
	})
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrNoSource
	}
	if err != nil {
		return DoorSource{}, explain("reading a source for a request", err)
	}
	return source, nil
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

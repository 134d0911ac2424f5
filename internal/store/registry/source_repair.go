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

// Over all shards: the partial index has only such secrets.
const repairSourcesSQL = `SELECT DISTINCT ON (s.id) s.id, s.tenant, s.provider, s.settings, s.created_at,
		x.id, x.name, x.role, x.created_at, x.expires_at, x.value, x.key_id
	FROM malote.source_secrets AS x
	JOIN malote.sources AS s ON s.shard = x.shard AND s.id = x.source_id
	WHERE x.role = 'repair' AND (x.expires_at IS NULL OR x.expires_at > now())
		AND s.deleted_at IS NULL AND s.paused_at IS NULL
	ORDER BY s.id, x.created_at DESC, x.id DESC`

// RepairSources lists all such sources that are not paused. One whose secret
// cannot be opened is left out and keeps no other from being listed: the error
// stands beside those that could be read.
func (r *Registry) RepairSources(ctx context.Context) ([]RepairSource, error) {
	rows, _ := r.pool.Query(ctx, repairSourcesSQL)
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
		return nil, explain("listing sources to be repaired", err)
	}
	return sources, explain("listing sources to be repaired", errors.Join(unopened...))
}

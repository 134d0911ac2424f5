package registry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

const sourceColumns = `s.id, s.tenant, s.name, s.provider, s.description, s.settings, s.paused_at, s.created_at, s.updated_at,
	coalesce(secrets.names, '{}')`

const sourcesAndSecrets = ` FROM malote.sources AS s
	CROSS JOIN LATERAL (
		SELECT array_agg(x.name ORDER BY x.created_at DESC, x.id DESC) AS names FROM malote.source_secrets AS x
		WHERE x.shard = s.shard AND x.source_id = s.id AND (x.expires_at IS NULL OR x.expires_at > now())) AS secrets `

const (
	selectSourceSQL = `SELECT ` + sourceColumns + sourcesAndSecrets + `
		WHERE s.shard = $1 AND s.id = $2 AND s.deleted_at IS NULL`

	listSourcesSQL = `SELECT ` + sourceColumns + sourcesAndSecrets + `
		WHERE s.shard = $1 AND s.tenant = $2 AND s.id > $3 AND s.deleted_at IS NULL ORDER BY s.id LIMIT $4`

	// Over all shards: only an administrator asks.
	listAllSourcesSQL = `SELECT ` + sourceColumns + sourcesAndSecrets + `
		WHERE s.id > $1 AND s.deleted_at IS NULL ORDER BY s.id LIMIT $2`
)

// Source finds one.
func (r *Registry) Source(ctx context.Context, owner Owner, id delivery.ID) (Source, error) {
	source, err := r.findSource(ctx, owner, id)
	return source, explain("reading a source", err)
}

func (r *Registry) findSource(ctx context.Context, owner Owner, id delivery.ID) (Source, error) {
	source, err := readSource(ctx, r.pool, id)
	if err == nil && !owner.owns(source.Tenant) {
		return Source{}, ErrNoSource
	}
	return source, err
}

// Sources lists an owner's sources, oldest first, without deleted ones.
func (r *Registry) Sources(ctx context.Context, owner Owner, page Page) (_ []Source, more bool, _ error) {
	var rows pgx.Rows
	if owner.any {
		rows, _ = r.pool.Query(ctx, listAllSourcesSQL, page.after(), page.Limit+1)
	} else {
		rows, _ = r.pool.Query(ctx, listSourcesSQL, delivery.ShardOf(owner.tenant), owner.tenant, page.after(), page.Limit+1)
	}
	sources, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Source, error) { return scanSource(row) })
	sources, more = cut(sources, page.Limit)
	return sources, more, explain("listing sources", err)
}

func readSource(ctx context.Context, from querier, id delivery.ID) (Source, error) {
	source, err := scanSource(from.QueryRow(ctx, selectSourceSQL, id.Shard(), id))
	return source, orMissing(err, ErrNoSource)
}

func scanSource(row pgx.Row) (s Source, err error) {
	err = row.Scan(&s.ID, &s.Tenant, &s.Name, &s.Provider, &s.Description, &s.Settings,
		instant{&s.PausedAt}, instant{&s.CreatedAt}, instant{&s.UpdatedAt}, &s.SecretNames)
	return s, err
}

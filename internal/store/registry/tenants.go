package registry

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/malotehq/malote/internal/delivery"
)

// Tenant owns endpoints, events and keys.
type Tenant struct {
	ID               string // the caller's slug
	Name             string
	Priority         int // 0…99 (A09); what lies outside counts as the nearest
	AlertEmails      []string
	TechnicalContact string
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// TenantPatch changes what is not nil.
type TenantPatch struct {
	Name             *string
	Priority         *int
	AlertEmails      *[]string
	TechnicalContact *string
}

// tenantsScope is one for all tenants, so that a key used again for another
// slug is noticed.
var tenantsScope = onceScope{shard: 0, name: "tenant:"}

const tenantColumns = `t.id, t.name, t.priority, t.alert_emails, t.technical_contact, t.created_at, t.updated_at`

const (
	// A slug may come back after its tenant was deleted: its endpoints_version
	// must then be one that no publisher has ever seen, so it starts from the time.
	insertTenantSQL = `INSERT INTO malote.tenants AS t
			(shard, id, name, priority, alert_emails, technical_contact, endpoints_version)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (shard, id) DO NOTHING
		RETURNING ` + tenantColumns

	selectTenantSQL = `SELECT ` + tenantColumns + ` FROM malote.tenants AS t WHERE t.shard = $1 AND t.id = $2`

	// Over all shards: only an administrator asks.
	listTenantsSQL = `SELECT ` + tenantColumns + ` FROM malote.tenants AS t
		WHERE t.id > $1 COLLATE "C" ORDER BY t.id COLLATE "C" LIMIT $2`

	updateTenantSQL = `UPDATE malote.tenants AS t
		SET name = coalesce($3, t.name), priority = coalesce($4, t.priority),
			alert_emails = coalesce($5, t.alert_emails),
			technical_contact = coalesce($6, t.technical_contact), updated_at = now()
		WHERE t.shard = $1 AND t.id = $2
		RETURNING ` + tenantColumns

	raiseTenantVersionSQL = `UPDATE malote.tenants AS t SET endpoints_version = t.endpoints_version + 1
		WHERE t.shard = $1 AND t.id = $2 RETURNING t.priority`

	// Keeps the tenant from being deleted before this transaction's end.
	holdTenantSQL = `SELECT FROM malote.tenants AS t WHERE t.shard = $1 AND t.id = $2 FOR KEY SHARE`
)

// CreateTenant makes a tenant; created is false if the key is a repeat. A slug
// that is taken is ErrTenantExists, and Malote's own ErrTenantReserved.
func (r *Registry) CreateTenant(ctx context.Context, tenant Tenant, once Once) (made Tenant, created bool, _ error) {
	if tenant.ID == delivery.OwnTenant {
		return Tenant{}, false, explain("creating a tenant", ErrTenantReserved)
	}
	shard := delivery.ShardOf(tenant.ID)
	err := r.inTx(ctx, "creating a tenant", func(tx pgx.Tx) error {
		var err error
		_, created, err = once.first(ctx, tx, tenantsScope, r.newID(shard))
		switch {
		case err != nil:
			return err
		case !created:
			made, err = scanTenant(tx.QueryRow(ctx, selectTenantSQL, shard, tenant.ID))
			return orDeleted(orMissing(err, ErrNoTenant))
		}
		made, err = scanTenant(tx.QueryRow(ctx, insertTenantSQL, shard, tenant.ID, tenant.Name, inRange(tenant.Priority),
			notNil(tenant.AlertEmails), tenant.TechnicalContact, r.now().UnixMicro()))
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrTenantExists
		}
		return err
	})
	return made, created && err == nil, err
}

// Tenant finds one by its slug.
func (r *Registry) Tenant(ctx context.Context, slug string) (Tenant, error) {
	tenant, err := scanTenant(r.pool.QueryRow(ctx, selectTenantSQL, delivery.ShardOf(slug), slug))
	return tenant, explain("reading a tenant", orMissing(err, ErrNoTenant))
}

// Tenants lists all tenants in the byte order of their slugs: those after one
// slug, "" is the beginning.
func (r *Registry) Tenants(ctx context.Context, after string, limit int) (_ []Tenant, more bool, _ error) {
	rows, _ := r.pool.Query(ctx, listTenantsSQL, after, limit+1)
	tenants, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Tenant, error) { return scanTenant(row) })
	tenants, more = cut(tenants, limit)
	return tenants, more, explain("listing tenants", err)
}

// UpdateTenant changes what the patch names; a priority reaches all the tenant's
// lanes at once.
func (r *Registry) UpdateTenant(ctx context.Context, slug string, patch TenantPatch) (tenant Tenant, _ error) {
	var emails []string // NULL leaves them as they are
	if patch.AlertEmails != nil {
		emails = notNil(*patch.AlertEmails)
	}
	shard := delivery.ShardOf(slug)
	update := func(tx pgx.Tx, priority *int) (err error) {
		tenant, err = scanTenant(tx.QueryRow(ctx, updateTenantSQL, shard, slug, patch.Name, priority, emails, patch.TechnicalContact))
		return orMissing(err, ErrNoTenant)
	}
	err := r.inTx(ctx, "changing a tenant", func(tx pgx.Tx) error {
		if patch.Priority == nil {
			return update(tx, nil)
		}
		priority := inRange(*patch.Priority)
		return weigh(ctx, tx, shard, slug, priority, func() error { return update(tx, &priority) })
	})
	if err != nil {
		return Tenant{}, err
	}
	return tenant, nil
}

func scanTenant(row pgx.Row) (t Tenant, err error) {
	err = row.Scan(&t.ID, &t.Name, &t.Priority, &t.AlertEmails, &t.TechnicalContact, instant{&t.CreatedAt}, instant{&t.UpdatedAt})
	t.Priority = inRange(t.Priority)
	return t, err
}

// raiseTenantVersion tells publishers that the tenant's endpoints changed, and
// keeps the tenant's row to the transaction's end.
func raiseTenantVersion(ctx context.Context, tx pgx.Tx, shard delivery.Shard, tenant string) (priority int, _ error) {
	err := tx.QueryRow(ctx, raiseTenantVersionSQL, shard, tenant).Scan(&priority)
	return priority, orMissing(err, ErrNoTenant)
}

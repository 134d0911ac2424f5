package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// Tenant owns endpoints, events and keys.
type Tenant struct {
	ID               string    `json:"id"` // your own name for it
	Name             string    `json:"name"`
	Priority         int       `json:"priority"` // a higher one has a larger share while capacity is short
	AlertEmails      []string  `json:"alert_emails"`
	TechnicalContact string    `json:"technical_contact"`
	CreatedAt        time.Time `json:"created_at"`
	UpdatedAt        time.Time `json:"updated_at"`
}

// NewTenant is a tenant to be created.
type NewTenant struct {
	ID               string   `json:"id"` // letters, digits, _, . and -; it never changes
	Name             string   `json:"name,omitempty"`
	Priority         int      `json:"priority,omitempty"`     // 0…99
	AlertEmails      []string `json:"alert_emails,omitempty"` // at most 5
	TechnicalContact string   `json:"technical_contact,omitempty"`

	IdempotencyKey string `json:"-"` // see the package's documentation; "": the call makes one
}

// TenantPatch changes what is not nil.
type TenantPatch struct {
	Name             *string   `json:"name,omitempty"`
	Priority         *int      `json:"priority,omitempty"` // only an admin key may change it
	AlertEmails      *[]string `json:"alert_emails,omitempty"`
	TechnicalContact *string   `json:"technical_contact,omitempty"` // "": nobody
}

const tenantsPath = "/v1/tenants"

// CreateTenant creates a tenant. One with the same id that another call created
// is an error with CodeTenantExists.
func (c *Client) CreateTenant(ctx context.Context, tenant NewTenant) (Tenant, error) {
	return create[Tenant](ctx, c, tenantsPath, tenant.IdempotencyKey, tenant)
}

// Tenant reads one tenant. One that is not there, or not the key's, is an error
// with CodeUnknownTenant.
func (c *Client) Tenant(ctx context.Context, id string) (Tenant, error) {
	return get[Tenant](ctx, c, tenantsPath+Path(id))
}

// Tenants goes through all tenants that the key may see, by id.
func (c *Client) Tenants(ctx context.Context) iter.Seq2[Tenant, error] {
	return List[Tenant](ctx, c, tenantsPath, Paging{}.into(url.Values{}))
}

// TenantPage reads one page of them.
func (c *Client) TenantPage(ctx context.Context, paging Paging) (Page[Tenant], error) {
	return Do[Page[Tenant]](ctx, c, Request{Method: http.MethodGet, Path: tenantsPath, Query: paging.into(url.Values{})})
}

// UpdateTenant changes a tenant. It is sent once.
func (c *Client) UpdateTenant(ctx context.Context, id string, patch TenantPatch) (Tenant, error) {
	return change[Tenant](ctx, c, tenantsPath+Path(id), patch)
}

// DeleteTenant deletes a tenant, which must have no endpoints or sources any more.
// Its keys stop working within 5 seconds. It is sent once.
func (c *Client) DeleteTenant(ctx context.Context, id string) error {
	return remove(ctx, c, Request{Path: tenantsPath + Path(id)})
}

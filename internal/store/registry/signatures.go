package registry

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// CreateTenant makes a tenant; created is false if the key is a repeat.
func (r *Registry) CreateTenant(ctx context.Context, tenant Tenant, once Once) (_ Tenant, created bool, _ error) {
	return Tenant{}, false, errors.ErrUnsupported
}

// Tenant finds one by its slug.
func (r *Registry) Tenant(ctx context.Context, slug string) (Tenant, error) {
	return Tenant{}, errors.ErrUnsupported
}

// Tenants lists tenants by slug, those after a slug ("" is the beginning).
func (r *Registry) Tenants(ctx context.Context, after string, limit int) (_ []Tenant, more bool, _ error) {
	return nil, false, errors.ErrUnsupported
}

// UpdateTenant changes what the patch names.
func (r *Registry) UpdateTenant(ctx context.Context, slug string, patch TenantPatch) (Tenant, error) {
	return Tenant{}, errors.ErrUnsupported
}

// DeleteTenant fails with ErrTenantInUse while it has endpoints or sources.
func (r *Registry) DeleteTenant(ctx context.Context, slug string) error { return errors.ErrUnsupported }

// CreateKey makes an API key. Plain is shown once; for a repeat it is "".
func (r *Registry) CreateKey(ctx context.Context, scope Scope, tenant, name string, once Once) (plain string, _ Key, _ error) {
	return "", Key{}, errors.ErrUnsupported
}

// FindKey finds the key that a caller presents; ErrNoKey if it does not work.
func (r *Registry) FindKey(ctx context.Context, plain string) (Key, error) {
	return Key{}, errors.ErrUnsupported
}

// Keys lists keys, revoked ones included.
func (r *Registry) Keys(ctx context.Context, owner Owner, page Page) (_ []Key, more bool, _ error) {
	return nil, false, errors.ErrUnsupported
}

// RevokeKey ends a key; revoking it again changes nothing.
func (r *Registry) RevokeKey(ctx context.Context, owner Owner, id delivery.ID) error {
	return errors.ErrUnsupported
}

// EnsureAdminKey makes an admin key if there never was one that works.
func (r *Registry) EnsureAdminKey(ctx context.Context) (plain string, created bool, _ error) {
	return "", false, errors.ErrUnsupported
}

// CreateEndpoint makes an endpoint with its lane and first secrets.
func (r *Registry) CreateEndpoint(ctx context.Context, endpoint NewEndpoint, defaults Defaults, once Once) (_ Endpoint, created bool, _ error) {
	return Endpoint{}, false, errors.ErrUnsupported
}

// Endpoint finds one, with its counts.
func (r *Registry) Endpoint(ctx context.Context, owner Owner, id delivery.ID) (Endpoint, error) {
	return Endpoint{}, errors.ErrUnsupported
}

// Endpoints lists an owner's endpoints; counted adds the counts, whose cost
// grows with the backlogs.
func (r *Registry) Endpoints(ctx context.Context, owner Owner, page Page, counted bool) (_ []Endpoint, more bool, _ error) {
	return nil, false, errors.ErrUnsupported
}

// UpdateEndpoint changes what the patch names. Defaults are those of the policy
// that the endpoint has afterwards.
func (r *Registry) UpdateEndpoint(ctx context.Context, owner Owner, id delivery.ID, patch EndpointPatch, defaults Defaults) (Endpoint, error) {
	return Endpoint{}, errors.ErrUnsupported
}

// DeleteEndpoint ends an endpoint and closes what is pending for it.
func (r *Registry) DeleteEndpoint(ctx context.Context, owner Owner, id delivery.ID) error {
	return errors.ErrUnsupported
}

// SetStatus enables, disables, pauses or resumes an endpoint.
func (r *Registry) SetStatus(ctx context.Context, owner Owner, id delivery.ID, change StatusChange) (Endpoint, error) {
	return Endpoint{}, errors.ErrUnsupported
}

// CloseOrphans closes up to limit pending deliveries of deleted endpoints.
func (r *Registry) CloseOrphans(ctx context.Context, limit int) (closed int, _ error) {
	return 0, errors.ErrUnsupported
}

// AddSecret gives an endpoint one more secret, which signs at once.
func (r *Registry) AddSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, once Once) (_ delivery.Secret, created bool, _ error) {
	return delivery.Secret{}, false, errors.ErrUnsupported
}

// Secrets lists an endpoint's live secrets without their values, newest first.
func (r *Registry) Secrets(ctx context.Context, owner Owner, endpoint delivery.ID) ([]delivery.Secret, error) {
	return nil, errors.ErrUnsupported
}

// RotateSecret adds a secret and lets the older ones expire after the overlap.
func (r *Registry) RotateSecret(ctx context.Context, owner Owner, endpoint delivery.ID, value string, overlap time.Duration, once Once) (_ delivery.Secret, created bool, _ error) {
	return delivery.Secret{}, false, errors.ErrUnsupported
}

// RevokeSecret ends a secret at once, even the last one (D13).
func (r *Registry) RevokeSecret(ctx context.Context, owner Owner, endpoint, secret delivery.ID) error {
	return errors.ErrUnsupported
}

// CreatePolicy publishes a policy; created is false if it was there already
// with the same source.
func (r *Registry) CreatePolicy(ctx context.Context, name, source string, once Once) (_ Policy, created bool, _ error) {
	return Policy{}, false, errors.ErrUnsupported
}

// Policy finds one that a user wrote.
func (r *Registry) Policy(ctx context.Context, name string) (Policy, error) {
	return Policy{}, errors.ErrUnsupported
}

// Policies lists all that users wrote, by name.
func (r *Registry) Policies(ctx context.Context) ([]Policy, error) {
	return nil, errors.ErrUnsupported
}

// DeletePolicy fails with ErrPolicyInUse while an endpoint uses it.
func (r *Registry) DeletePolicy(ctx context.Context, name string) error {
	return errors.ErrUnsupported
}

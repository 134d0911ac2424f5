package app

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/redelivery"
	"github.com/malotehq/malote/internal/store/registry"
)

// registryAPI shows the registry to the API in the API's own words.
type registryAPI struct {
	registry *registry.Registry
	book     *policyBook
	wake     func([]delivery.LaneRef)
}

func ownerOf(owner api.Owner) registry.Owner {
	if slug, any := owner.Tenant(); !any {
		return registry.OfTenant(slug)
	}
	return registry.AnyTenant
}

func keyOf(k registry.Key) api.Key {
	return api.Key{ID: k.ID, Tenant: k.Tenant, Scope: api.Scope(k.Scope), Name: k.Name, CreatedAt: k.CreatedAt, RevokedAt: k.RevokedAt}
}

func endpointOf(e registry.Endpoint) api.Endpoint {
	return api.Endpoint{Endpoint: e.Endpoint, Health: api.Health(e.Health), Rate: e.Rate, SecretHeaders: e.SecretHeaders}
}

func mapAll[From, To any](list []From, convert func(From) To) []To {
	converted := make([]To, len(list))
	for i, item := range list {
		converted[i] = convert(item)
	}
	return converted
}

// FindKey implements api.Keys.
func (a registryAPI) FindKey(ctx context.Context, plain string) (api.Key, bool, error) {
	key, err := a.registry.FindKey(ctx, plain)
	if errors.Is(err, registry.ErrNotFound) {
		return api.Key{}, false, nil
	}
	return keyOf(key), err == nil, err
}

// CreateKey implements api.Keys.
func (a registryAPI) CreateKey(ctx context.Context, scope api.Scope, tenant, name string, once api.Once) (string, api.Key, error) {
	plain, key, err := a.registry.CreateKey(ctx, registry.Scope(scope), tenant, name, registry.Once(once))
	return plain, keyOf(key), err
}

// Keys implements api.Keys.
func (a registryAPI) Keys(ctx context.Context, owner api.Owner, page api.Page) ([]api.Key, bool, error) {
	list, more, err := a.registry.Keys(ctx, ownerOf(owner), registry.Page(page))
	return mapAll(list, keyOf), more, err
}

// RevokeKey implements api.Keys.
func (a registryAPI) RevokeKey(ctx context.Context, owner api.Owner, id delivery.ID) (api.Key, error) {
	key, err := a.registry.RevokeKey(ctx, ownerOf(owner), id)
	return keyOf(key), err
}

// CreateTenant implements api.Tenants.
func (a registryAPI) CreateTenant(ctx context.Context, tenant api.Tenant, once api.Once) (api.Tenant, bool, error) {
	made, created, err := a.registry.CreateTenant(ctx, registry.Tenant(tenant), registry.Once(once))
	return api.Tenant(made), created, err
}

// Tenant implements api.Tenants.
func (a registryAPI) Tenant(ctx context.Context, slug string) (api.Tenant, error) {
	tenant, err := a.registry.Tenant(ctx, slug)
	return api.Tenant(tenant), err
}

// Tenants implements api.Tenants.
func (a registryAPI) Tenants(ctx context.Context, after string, limit int) ([]api.Tenant, bool, error) {
	list, more, err := a.registry.Tenants(ctx, after, limit)
	return mapAll(list, func(t registry.Tenant) api.Tenant { return api.Tenant(t) }), more, err
}

// UpdateTenant implements api.Tenants.
func (a registryAPI) UpdateTenant(ctx context.Context, slug string, patch api.TenantPatch) (api.Tenant, error) {
	tenant, err := a.registry.UpdateTenant(ctx, slug, registry.TenantPatch(patch))
	return api.Tenant(tenant), err
}

// DeleteTenant implements api.Tenants.
func (a registryAPI) DeleteTenant(ctx context.Context, slug string) error {
	return a.registry.DeleteTenant(ctx, slug)
}

// CreateEndpoint implements api.Endpoints.
func (a registryAPI) CreateEndpoint(ctx context.Context, endpoint api.NewEndpoint, defaults api.Defaults, once api.Once) (api.Endpoint, bool, error) {
	made, created, err := a.registry.CreateEndpoint(ctx, registry.NewEndpoint(endpoint), registry.Defaults(defaults), registry.Once(once))
	return endpointOf(made), created, err
}

// Endpoint implements api.Endpoints.
func (a registryAPI) Endpoint(ctx context.Context, owner api.Owner, id delivery.ID) (api.Endpoint, error) {
	endpoint, err := a.registry.Endpoint(ctx, ownerOf(owner), id)
	return endpointOf(endpoint), err
}

// Endpoints implements api.Endpoints.
func (a registryAPI) Endpoints(ctx context.Context, owner api.Owner, page api.Page, filter api.EndpointFilter) ([]api.Endpoint, bool, error) {
	list, more, err := a.registry.Endpoints(ctx, ownerOf(owner), registry.Page(page), registry.EndpointFilter(filter))
	return mapAll(list, endpointOf), more, err
}

// UpdateEndpoint implements api.Endpoints.
func (a registryAPI) UpdateEndpoint(ctx context.Context, owner api.Owner, id delivery.ID, patch api.EndpointPatch, defaults api.Defaults) (api.Endpoint, error) {
	endpoint, err := a.registry.UpdateEndpoint(ctx, ownerOf(owner), id, registry.EndpointPatch(patch), registry.Defaults(defaults))
	if err != nil {
		return api.Endpoint{}, err
	}
	a.wakeLane(id) // it may take more now
	return endpointOf(endpoint), nil
}

// DeleteEndpoint implements api.Endpoints.
func (a registryAPI) DeleteEndpoint(ctx context.Context, owner api.Owner, id delivery.ID) error {
	return a.registry.DeleteEndpoint(ctx, ownerOf(owner), id)
}

// EnableEndpoint implements api.Endpoints. Where the policy says so, all that is
// dead is replayed in the same transaction (R06).
func (a registryAPI) EnableEndpoint(ctx context.Context, owner api.Owner, id delivery.ID) (api.Endpoint, int, error) {
	present, err := a.registry.Endpoint(ctx, ownerOf(owner), id)
	if err != nil {
		return api.Endpoint{}, 0, err
	}
	contract, err := a.book.Policy(present.Policy)
	if err != nil {
		return api.Endpoint{}, 0, err
	}
	replayed := 0
	endpoint, err := a.registry.EnableWith(ctx, ownerOf(owner), id, func(ctx context.Context, tx registry.Tx) (err error) {
		if contract.ReplayOnEnable {
			replayed, err = redelivery.ReplayDeadIn(ctx, tx, id)
		}
		return err
	})
	if err != nil {
		return api.Endpoint{}, 0, err
	}
	a.wakeLane(id)
	return endpointOf(endpoint), replayed, nil
}

// DisableEndpoint implements api.Endpoints.
func (a registryAPI) DisableEndpoint(ctx context.Context, owner api.Owner, id delivery.ID) (api.Endpoint, error) {
	return a.setStatus(ctx, owner, id, registry.DisableByUser)
}

// PauseEndpoint implements api.Endpoints.
func (a registryAPI) PauseEndpoint(ctx context.Context, owner api.Owner, id delivery.ID) (api.Endpoint, error) {
	return a.setStatus(ctx, owner, id, registry.Pause)
}

// ResumeEndpoint implements api.Endpoints.
func (a registryAPI) ResumeEndpoint(ctx context.Context, owner api.Owner, id delivery.ID) (api.Endpoint, error) {
	return a.setStatus(ctx, owner, id, registry.Resume)
}

func (a registryAPI) setStatus(ctx context.Context, owner api.Owner, id delivery.ID, change registry.StatusChange) (api.Endpoint, error) {
	endpoint, err := a.registry.SetStatus(ctx, ownerOf(owner), id, change)
	if err != nil {
		return api.Endpoint{}, err
	}
	a.wakeLane(id)
	return endpointOf(endpoint), nil
}

func (a registryAPI) wakeLane(id delivery.ID) {
	a.wake([]delivery.LaneRef{{Shard: id.Shard(), EndpointID: id}})
}

// AddSecret implements api.Endpoints.
func (a registryAPI) AddSecret(ctx context.Context, owner api.Owner, endpoint delivery.ID, value string, once api.Once) (delivery.Secret, bool, error) {
	return a.registry.AddSecret(ctx, ownerOf(owner), endpoint, value, registry.Once(once))
}

// RotateSecret implements api.Endpoints.
func (a registryAPI) RotateSecret(ctx context.Context, owner api.Owner, endpoint delivery.ID, value string, overlap time.Duration, once api.Once) (delivery.Secret, bool, error) {
	return a.registry.RotateSecret(ctx, ownerOf(owner), endpoint, value, overlap, registry.Once(once))
}

// Secrets implements api.Endpoints.
func (a registryAPI) Secrets(ctx context.Context, owner api.Owner, endpoint delivery.ID) ([]delivery.Secret, error) {
	return a.registry.Secrets(ctx, ownerOf(owner), endpoint)
}

// RevokeSecret implements api.Endpoints.
func (a registryAPI) RevokeSecret(ctx context.Context, owner api.Owner, endpoint, secret delivery.ID) error {
	return a.registry.RevokeSecret(ctx, ownerOf(owner), endpoint, secret)
}

// CreatePolicy implements api.Policies.
func (a registryAPI) CreatePolicy(ctx context.Context, name, source string, once api.Once) (api.StoredPolicy, bool, error) {
	made, created, err := a.registry.CreatePolicy(ctx, name, source, registry.Once(once))
	return storedPolicy(made), created, err
}

// Policy implements api.Policies.
func (a registryAPI) Policy(ctx context.Context, name string) (api.StoredPolicy, error) {
	found, err := a.registry.Policy(ctx, name)
	return storedPolicy(found), err
}

// Policies implements api.Policies.
func (a registryAPI) Policies(ctx context.Context) ([]api.StoredPolicy, error) {
	list, err := a.registry.Policies(ctx)
	return mapAll(list, storedPolicy), err
}

func storedPolicy(p registry.Policy) api.StoredPolicy {
	return api.StoredPolicy{Name: p.Name, Source: p.Source, CreatedAt: p.CreatedAt}
}

package registry

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestTenant_CreateReadChange(t *testing.T) {
	t.Parallel()
	r := open(t)
	wanted := Tenant{ID: "acme", Name: "Acme", Priority: 3, AlertEmails: []string{"a@acme.example"}, TechnicalContact: "ops@acme.example"}
	made, created, err := r.CreateTenant(t.Context(), wanted, Once{})
	require.NoError(t, err)
	require.True(t, created)
	require.NotZero(t, made.CreatedAt)
	wanted.CreatedAt, wanted.UpdatedAt = made.CreatedAt, made.UpdatedAt
	require.Equal(t, wanted, made)

	_, _, err = r.CreateTenant(t.Context(), Tenant{ID: "acme"}, Once{})
	require.ErrorIs(t, err, ErrTenantExists)
	require.ErrorIs(t, err, ErrConflict)

	changed, err := r.UpdateTenant(t.Context(), "acme", TenantPatch{Name: ptr("Acme Ltd"), AlertEmails: &[]string{}})
	require.NoError(t, err)
	require.Equal(t, "Acme Ltd", changed.Name)
	require.Empty(t, changed.AlertEmails)
	require.Equal(t, 3, changed.Priority, "what the patch does not name, stays")
	require.Equal(t, "ops@acme.example", changed.TechnicalContact)

	read, err := r.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	require.Equal(t, changed, read)
}

func TestTenant_MissingOrImpossible(t *testing.T) {
	t.Parallel()
	r := open(t)
	_, err := r.Tenant(t.Context(), "nobody")
	require.ErrorIs(t, err, ErrNoTenant)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = r.UpdateTenant(t.Context(), "nobody", TenantPatch{})
	require.ErrorIs(t, err, ErrNoTenant)
	require.ErrorIs(t, r.DeleteTenant(t.Context(), "nobody"), ErrNoTenant)

	_, _, err = r.CreateTenant(t.Context(), Tenant{ID: "acme", Name: "a\x00b"}, Once{})
	require.ErrorIs(t, err, ErrInvalidText)
}

func TestTenants_PagesHaveNoHolesOrRepeats(t *testing.T) {
	t.Parallel()
	r := open(t)
	slugs := []string{"A", "B-1", "a", "a.b", "a_b", "ab", "b"} // in byte order, over several shards
	for i := range slugs {
		addTenant(t, r, slugs[len(slugs)-1-i])
	}
	var seen []string
	for after, more := "", true; more; {
		var page []Tenant
		var err error
		page, more, err = r.Tenants(t.Context(), after, 3)
		require.NoError(t, err)
		for _, tenant := range page {
			seen = append(seen, tenant.ID)
		}
		after = page[len(page)-1].ID
	}
	require.Equal(t, slugs, seen)
}

func TestDeleteTenant_OnlyWithoutEndpointsAndSources(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	plain, _, err := r.CreateKey(t.Context(), ScopeTenant, "acme", "", Once{})
	require.NoError(t, err)
	require.ErrorIs(t, r.DeleteTenant(t.Context(), "acme"), ErrTenantInUse)

	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	source := addSource(t, r, "acme")
	require.ErrorIs(t, r.DeleteTenant(t.Context(), "acme"), ErrTenantInUse)

	require.NoError(t, r.DeleteSource(t.Context(), AnyTenant, source.ID))
	require.NoError(t, r.DeleteTenant(t.Context(), "acme"))
	_, err = r.Tenant(t.Context(), "acme")
	require.ErrorIs(t, err, ErrNoTenant)
	_, err = r.FindKey(t.Context(), plain)
	require.ErrorIs(t, err, ErrNoKey, "a tenant's keys go with it")
}

func TestDeleteTenant_NotWhileSending(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	sending := addOpen(t, r, endpoint, delivery.Sending, 1)
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	require.ErrorIs(t, r.DeleteTenant(t.Context(), "acme"), ErrTenantBusy)

	execute(t, r, `DELETE FROM malote.queue WHERE id = $1`, sending[0])
	// Published by somebody who still saw the endpoint, a moment ago.
	addOpen(t, r, endpoint, delivery.Pending, 2)
	require.NoError(t, r.DeleteTenant(t.Context(), "acme"))
	closed, err := r.CloseOrphans(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, 2, closed, "orphans are found even when their tenant is gone")
}

func TestDeleteTenant_ComesBackWithAnUnknownVersion(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	endpoint := addEndpoint(t, r, "acme")
	_, before := versions(t, r, endpoint)
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	require.NoError(t, r.DeleteTenant(t.Context(), "acme"))
	addTenant(t, r, "acme")
	// A publisher that remembers the old endpoints must not take them for the new tenant's.
	require.Greater(t, one[int64](t, r, `SELECT endpoints_version FROM malote.tenants`), before+1)
}

func TestDeleteTenant_AgainstWhoeverCreates(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	for round := range 8 {
		slug := fmt.Sprintf("tenant-%d", round)
		addTenant(t, first, slug)
		errs := atOnce(4, func(i int) error {
			switch i {
			case 0:
				return first.DeleteTenant(t.Context(), slug)
			case 1:
				_, _, err := second.CreateEndpoint(t.Context(), newEndpoint(slug), standard, Once{})
				return err
			case 2:
				_, _, err := first.CreateSource(t.Context(), newSource(slug), Once{})
				return err
			default:
				_, _, err := second.CreateKey(t.Context(), ScopeRead, slug, "", Once{})
				return err
			}
		})
		if errs[1] == nil || errs[2] == nil {
			require.ErrorIs(t, errs[0], ErrTenantInUse)
			require.NoError(t, errors.Join(errs[1:]...))
			continue
		}
		require.NoError(t, errs[0])
		require.ErrorIs(t, errs[1], ErrNoTenant)
		require.ErrorIs(t, errs[2], ErrNoTenant)
		if errs[3] != nil {
			require.ErrorIs(t, errs[3], ErrNoTenant)
		}
		require.Zero(t, one[int](t, first, `SELECT count(*) FROM malote.api_keys WHERE tenant = $1`, slug))
	}
}

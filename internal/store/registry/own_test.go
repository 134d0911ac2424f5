package registry

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestOwnTenant_IsMadeOnceAndNobodyElses(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	registries := []*Registry{first, second}
	for _, err := range atOnce(6, func(i int) error { return registries[i%2].EnsureOwnTenant(t.Context()) }) {
		require.NoError(t, err)
	}
	_, err := first.UpdateTenant(t.Context(), delivery.OwnTenant, TenantPatch{Name: ptr("Ours")})
	require.NoError(t, err)
	require.NoError(t, second.EnsureOwnTenant(t.Context()))
	own, err := second.Tenant(t.Context(), delivery.OwnTenant)
	require.NoError(t, err)
	require.Equal(t, "Ours", own.Name, "what was changed, stays")

	_, _, err = first.CreateTenant(t.Context(), Tenant{ID: delivery.OwnTenant}, Once{})
	require.ErrorIs(t, err, ErrTenantReserved)
	require.ErrorIs(t, first.DeleteTenant(t.Context(), delivery.OwnTenant), ErrTenantReserved)
	_, _, err = first.CreateSource(t.Context(), newSource(delivery.OwnTenant), Once{})
	require.ErrorIs(t, err, ErrTenantReserved)
	_, created, err := first.CreateEndpoint(t.Context(), newEndpoint(delivery.OwnTenant), standard, Once{})
	require.NoError(t, err)
	require.True(t, created, "endpoints are what it is there for")
}

func TestOwnEndpoint_IsMadeOnceAndFoundAgain(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	require.NoError(t, first.EnsureOwnTenant(t.Context()))
	registries := []*Registry{first, second}
	wanted := NewEndpoint{URL: "mailto:", Policy: "standard", EventTypes: []string{"malote.mail.*"}}
	type result struct {
		id  delivery.ID
		err error
	}
	ids := make(map[delivery.ID]bool)
	for _, r := range atOnce(8, func(i int) result {
		id, err := registries[i%2].EnsureOwnEndpoint(t.Context(), wanted, standard)
		return result{id, err}
	}) {
		require.NoError(t, r.err)
		ids[r.id] = true
	}
	require.Len(t, ids, 1)
	for id := range ids {
		made, err := first.Endpoint(t.Context(), OfTenant(delivery.OwnTenant), id)
		require.NoError(t, err)
		require.Equal(t, []string{"malote.mail.*"}, made.EventTypes)
		require.NoError(t, first.DeleteEndpoint(t.Context(), AnyTenant, id))
		again, err := second.EnsureOwnEndpoint(t.Context(), wanted, standard)
		require.NoError(t, err)
		require.NotEqual(t, id, again, "one that was deleted is made anew")
	}
}

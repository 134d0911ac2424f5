package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEndpointsOfPolicy_OfOneOrAllTenants(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	var acme []Endpoint
	for _, tenant := range []string{"acme", "acme", "acme", "globex"} {
		made, _, err := r.CreateEndpoint(t.Context(), newEndpoint(tenant), standard, Once{})
		require.NoError(t, err)
		acme = append(acme, made)
	}
	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, acme[2].ID))
	list := func(owner Owner, policy string, page Page) (ids []Endpoint, more bool) {
		t.Helper()
		ids, more, err := r.EndpointsOfPolicy(t.Context(), owner, policy, page)
		require.NoError(t, err)
		return ids, more
	}
	policy := acme[0].Policy
	found, more := list(OfTenant("acme"), policy, Page{Limit: 1})
	require.True(t, more)
	require.Equal(t, acme[0].ID, found[0].ID)
	found, more = list(OfTenant("acme"), policy, Page{After: acme[0].ID, Limit: 10})
	require.False(t, more)
	require.Len(t, found, 1, "the third was deleted")
	require.Equal(t, acme[1].ID, found[0].ID)
	found, _ = list(AnyTenant, policy, Page{Limit: 10})
	require.Len(t, found, 3)
	found, _ = list(AnyTenant, "another", Page{Limit: 10})
	require.Empty(t, found)
}

package api

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func (m *memory) EndpointsOfPolicy(ctx context.Context, owner Owner, policy string, page Page) ([]Endpoint, bool, error) {
	all, more, err := m.Endpoints(ctx, owner, page, false)
	return slices.DeleteFunc(all, func(e Endpoint) bool { return e.Policy != policy }), more, err
}

func TestPolicyEndpoints_TheCallersOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	of := func(policy, key string) (ids []string) {
		t.Helper()
		for _, e := range r.call("GET", "/v1/policies/"+policy+"/webhook_endpoints", key, "").object(t, http.StatusOK)["data"].([]any) {
			ids = append(ids, e.(map[string]any)["id"].(string))
		}
		return ids
	}
	own := r.acme.Format(delivery.EndpointPrefix)
	require.Equal(t, []string{own}, of("standard", acmeKey))
	require.Contains(t, of("standard", adminKey), r.globex.Format(delivery.EndpointPrefix))
	require.Empty(t, of("dracma", acmeKey))
	r.call("GET", "/v1/policies/none/webhook_endpoints", acmeKey, "").problem(t, UnknownPolicy)
}
